// Reads requests as lines of JSON and prints for each whether Bolt would take it.
import { createInterface } from 'node:readline';
import bolt from '@slack/bolt';

const { verifySlackRequest } = bolt;
for await (const line of createInterface({ input: process.stdin })) {
    const { secret, signature, time, body, now } = JSON.parse(line);
    let right = true;
    try {
        verifySlackRequest({
            signingSecret: secret,
            body,
            headers: { 'x-slack-signature': signature, 'x-slack-request-timestamp': Number(time) },
            nowMilliseconds: now * 1000,
        });
    } catch {
        right = false;
    }
    console.log(right);
}
