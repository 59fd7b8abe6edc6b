// A bot written with discord.js, on the platform of the tests: node discord.mjs API TOKEN.
// It does what it is told in direct messages and prints one line for each thing that it saw.
import { ActionRowBuilder, ButtonBuilder, ButtonStyle, Client, Events, GatewayIntentBits, MessageFlags, Partials } from 'discord.js';

const [api, token] = process.argv.slice(2);
const say = (...words) => console.log(words.join(' '));

const client = new Client({
    intents: [
        GatewayIntentBits.Guilds,
        GatewayIntentBits.GuildMessages,
        GatewayIntentBits.DirectMessages,
        GatewayIntentBits.MessageContent,
    ],
    partials: [Partials.Channel],
    allowedMentions: { parse: [] },
    rest: { api, version: '10' },
});

client.once(Events.ClientReady, async (ready) => {
    await ready.application.commands.set([{ name: 'new', description: 'start fresh' }]);
    say('ready', ready.user.username, ready.application.id, ready.guilds.cache.size);
});

client.on(Events.MessageCreate, async (message) => {
    if (message.author.bot) return;
    const kind = message.reference?.type === 1 ? 'forward' : message.reference ? 'reply' : 'message';
    const text = message.messageSnapshots?.first()?.content || message.content;
    say(kind, message.channel.type, message.inGuild() ? 'server' : 'direct', JSON.stringify(text));
    if (text === 'card') {
        const row = new ActionRowBuilder().addComponents(
            new ButtonBuilder().setCustomId('yes').setLabel('Allow once').setStyle(ButtonStyle.Secondary),
        );
        await message.reply({ content: '**Allow?**', components: [row], flags: MessageFlags.SuppressEmbeds });
    }
    if (text === 'long') {
        await message.channel.send('x'.repeat(2001)).catch((error) => say('refused', error.status, error.code));
    }
    if (text === 'file') {
        await message.channel.send({ files: [{ attachment: Buffer.from('bytes'), name: 'a.txt' }] });
    }
});

client.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isButton()) {
        await interaction.deferUpdate();
        await interaction.message.edit({ content: 'Allowed.', components: [] });
        await interaction.followUp({ content: 'Only you see this.', flags: MessageFlags.Ephemeral });
        say('pressed', interaction.customId, interaction.user.id);
    } else if (interaction.isChatInputCommand()) {
        await interaction.reply({ content: 'Heard.', flags: MessageFlags.Ephemeral });
        say('command', interaction.commandName);
    }
});

client.on(Events.ShardResume, (shard, replayed) => say('resumed', replayed));
client.on(Events.Error, (error) => say('error', error.message));

await client.login(token);
