// Package clients adds memend to the settings of programs that run agents, and removes it again. It knows in which
// file each program keeps its MCP servers and hooks, and in which form.
//
// A file is edited as text: comments, order, indentation and unknown keys are kept. An edit is a function of the
// file's bytes; Save replaces a file atomically, and only if it still has the bytes that the edit began with. A file
// that can't be parsed is never changed.
//
// The files and forms are those of November 2026: Claude Code 2.1, Codex 0.169, Gemini CLI 0.61, opencode 1.18 and 2.
// Of Claude Desktop, Cline 3.0, Copilot CLI 1.0 and Qwen Code 0.15 it knows only the form, which a person adds.
package clients
