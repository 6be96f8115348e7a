// Package talk shows a conversation with the built-in agent, while it happens and
// afterwards: what the person asked, what the model said and thought, each call of
// the memory tool with its result and what it changed, and what became of the
// context. Below it stands the field that prompts are written into.
//
// A conversation is drawn from agent.Events alone. What comes while one looks
// touches only the last block, so that a batch costs the same however long the
// conversation is; rows are made only for the window. Of a long conversation only a
// stretch is held: what is older comes by pages from where it is kept, and what was
// left far behind is dropped.
//
// Nothing here waits but commands, which carry the id of their view: a batch of
// another session is dropped.
package talk
