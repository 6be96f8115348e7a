// Package clients knows the programs that agents run in: in which file each keeps the MCP
// servers and the hooks that it calls, in which form, and how a server of ours is added to
// such a file and removed again.
//
// A file is edited as text: comments, order, indentation and keys that this package doesn't
// know are kept. An edit is a function of the file's bytes; Save replaces a file in one
// step, and only if it still has the bytes that the edit began with. A file that can't be
// parsed is never changed.
//
// The files and forms are those of November 2026: Claude Code 2.1, Codex 0.169, Gemini CLI
// 0.61, Qwen Code 0.15, opencode 1.18 and 2, Copilot CLI 1.0, Cline 3.0.
package clients
