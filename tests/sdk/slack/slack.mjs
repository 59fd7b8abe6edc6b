// An app written with Bolt, in the workspace of the tests: node slack.mjs API BOT_TOKEN APP_TOKEN.
// It does what it is told and prints one line for each thing that it saw.
import bolt from '@slack/bolt';

const [api, token, appToken] = process.argv.slice(2);
const say = (...words) => console.log(words.join(' '));
const app = new bolt.App({
    token,
    appToken,
    socketMode: true,
    logLevel: bolt.LogLevel.ERROR,
    clientOptions: { slackApiUrl: `${api}/` },
});

app.message(async ({ message, client }) => {
    say('message', message.channel_type, message.thread_ts ? 'thread' : 'root', JSON.stringify(message.text));
    const at = { channel: message.channel, unfurl_links: false, unfurl_media: false };
    if (message.text === 'card') {
        const card = await client.chat.postMessage({
            ...at,
            text: 'Allow?',
            blocks: [
                { type: 'section', text: { type: 'plain_text', text: 'Allow?' } },
                {
                    type: 'actions',
                    elements: [{ type: 'button', action_id: 'press', value: 'yes', text: { type: 'plain_text', text: 'Allow once' } }],
                },
            ],
        });
        say('posted', card.message.bot_id);
    }
    if (message.text === 'file') {
        const thread_ts = message.ts;
        await client.files.uploadV2({ channel_id: message.channel, thread_ts, filename: 'a.txt', file: Buffer.from('bytes') });
        say('uploaded');
    }
    if (message.text === 'stream') {
        const at = { channel: message.channel, thread_ts: message.ts };
        const { ts } = await client.chat.startStream({ ...at, markdown_text: 'one' });
        await client.chat.appendStream({ channel: message.channel, ts, markdown_text: ' two' });
        await client.chat.stopStream({ channel: message.channel, ts });
        say('streamed');
    }
    if (message.text === 'wrong') {
        await client.chat.postMessage({ ...at, channel: 'C0NOWHERE', text: 'x' }).catch((error) => say('refused', error.data.error));
    }
});

app.event('app_mention', async ({ event }) => say('mention', JSON.stringify(event.text)));

app.action('press', async ({ ack, body, action, client }) => {
    await ack();
    const at = { channel: body.channel.id, ts: body.message.ts };
    await client.chat.update({ ...at, text: 'Allowed.', blocks: [] });
    await client.chat.postEphemeral({ channel: body.channel.id, user: body.user.id, text: 'Only you see this.' });
    say('pressed', action.value, body.user.id);
});

app.command('/postern', async ({ ack, command }) => {
    await ack('Heard.');
    say('command', command.text);
});

await app.start();
const me = await app.client.auth.test();
say('ready', me.user_id, me.bot_id, me.response_metadata?.scopes?.length);
