// What discord-interactions says of requests: JSON lines of {key, signature, time, body} on standard
// input, one verdict a line on standard output.
import { createInterface } from 'node:readline';
import { verifyKey } from 'discord-interactions';

for await (const line of createInterface({ input: process.stdin })) {
    const { key, signature, time, body } = JSON.parse(line);
    console.log(await verifyKey(body, signature, time, key));
}
