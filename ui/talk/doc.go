// Package talk shows a conversation with the built-in agent, live or recorded: the prompts,
// the text and thinking of the model, each call of the memory tool with its result and its
// change, and compactions and clearing of the context. Below it is the field for prompts.
//
// A conversation is built from agent.Events alone. A live event touches only the last block,
// so the cost of a batch does not depend on the length of the conversation; rows are laid out
// only for the window. Only a part of a long conversation is in memory: older pages are read
// from where the conversation is recorded, and blocks far from the window are dropped.
//
// The blocks know how high they are and which are visible, the painter how they look, find where a
// text is in them. The view reads the events, and divides its rows among the blocks, the status and
// the field.
//
// Only commands block. They have the id of their view, and a batch for another session is
// dropped.
package talk
