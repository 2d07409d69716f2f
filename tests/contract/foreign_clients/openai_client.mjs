// The official JavaScript client; prints what it understood as one line of JSON.
import OpenAI from "openai";

const client = new OpenAI({ baseURL: process.argv[2], apiKey: "none", maxRetries: 0 });
const messages = [{ role: "user", content: "Hello" }];
const said = {};

said.models = (await client.models.list()).data.map((model) => model.id);
const whole = await client.chat.completions.create({ model: "beaver", messages });
said.chat = whole.choices[0].message.content;

const chunks = client.chat.completions.stream({ model: "beaver", messages, stream_options: { include_usage: true } });
const final = await chunks.finalChatCompletion();
said.chatStream = final.choices[0].message.content;
said.chatTokens = final.usage.total_tokens;

const first = await client.responses.create({ model: "beaver", input: "Hello" });
said.response = first.output_text;
const events = client.responses.stream({ model: "beaver", input: "And then?", previous_response_id: first.id });
const second = await events.finalResponse();
said.responseStream = second.output_text;
said.sameSession = first.conversation.id === second.conversation.id;

said.missing = await client.models.retrieve("nope").catch((error) => error.constructor.name);
console.log(JSON.stringify(said));
