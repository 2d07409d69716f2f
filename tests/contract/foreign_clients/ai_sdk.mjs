// The Vercel AI SDK, by both of OpenAI's APIs; prints what it understood as one line of JSON.
import { generateText, streamText } from "ai";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const baseURL = process.argv[2];
const official = createOpenAI({ baseURL, apiKey: "none" });
const models = {
  responses: official.responses("beaver"),
  chat: official.chat("beaver"),
  compatible: createOpenAICompatible({ name: "beaver", baseURL }).chatModel("beaver"),
};
const said = {};

for (const [name, model] of Object.entries(models)) {
  const whole = await generateText({ model, prompt: "Hello", maxRetries: 0 });
  const stream = streamText({ model, prompt: "Hello", maxRetries: 0 });
  let streamed = "";
  for await (const piece of stream.textStream) streamed += piece;
  said[name] = { whole: whole.text, streamed, finish: await stream.finishReason };
}
console.log(JSON.stringify(said));
