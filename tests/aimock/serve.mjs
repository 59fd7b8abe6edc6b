// A model endpoint that we did not write, with what it answers here. It says where it is, and ends
// with whoever started it.
import { LLMock } from '@copilotkit/aimock';

const mock = new LLMock({ port: 0, host: '127.0.0.1' });

mock.onMessage('hello there', { content: 'Hello from elsewhere.' });

const write = { name: 'files__write', arguments: { file: 'notes.txt', content: 'the gate is green' } };
mock.on({ userMessage: 'write it down', hasToolResult: false }, { content: 'I will write it down.', toolCalls: [write] });
mock.on({ userMessage: 'write it down', toolResultContains: 'wrote notes.txt' }, { content: 'It is written.' });
mock.on({ userMessage: 'write it down', toolResultContains: 'denied' }, { content: 'Then I leave it.' });

// Two calls at once, one of which needs no card.
const several = [{ name: 'memory__save', arguments: { text: 'the key is under the mat' } },
    { name: 'files__read', arguments: { file: 'nowhere.txt' } }];
mock.on({ userMessage: 'do both', hasToolResult: false }, { toolCalls: several });
mock.on({ userMessage: 'do both', hasToolResult: true }, { content: 'Both are done.' });

// Breaks off in the middle of an answer, and of a call; is whole the second time.
const long = 'The half of a long story, and then the other half of it.';
mock.on({ userMessage: 'break off', sequenceIndex: 0 }, { content: long }, { chunkSize: 5, truncateAfterChunks: 4, latency: 50 });
mock.on({ userMessage: 'once more', sequenceIndex: 0 }, { content: 'The whole of it.' });
mock.on({ userMessage: 'break a call', hasToolResult: false },
    { content: 'I save it.', toolCalls: [{ name: 'memory__save', arguments: { text: 'half of a secret and the rest' } }] },
    { chunkSize: 3, truncateAfterChunks: 8, latency: 50 });

// Is busy once, and unwilling for good.
const error = (status, message, type) => ({ error: { message, type }, status });
mock.on({ userMessage: 'are you busy', sequenceIndex: 0 }, error(503, 'overloaded', 'server_error'));
mock.on({ userMessage: 'are you busy', sequenceIndex: 1 }, { content: 'Not any more.' });
mock.on({ userMessage: 'who are you' }, error(404, 'The model does not exist', 'not_found_error'));

await mock.start();
console.log(mock.url);
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
