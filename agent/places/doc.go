// Package places finds the folders in which other tools keep what their agents remember: Claude Code's auto memory and the
// memory of its subagents, Serena's memories, memory banks, and the memory folders of Copilot in VS Code. Discover finds
// those on this machine; Add gives one a trail.
//
// # Contract
//
// Nothing is written to a found folder or near it: discovery reads names, sizes, times, the beginnings of transcripts and a
// few settings. Only Add writes, to memend's own home.
//
// Discovery is bounded by the known projects, by a budget of entries, and by the context. It does not walk the home folder.
// It follows links to the wanted folder but not inside it, so loops do no harm. Errors are reported beside what was found.
//
// Only Here reads the environment.
//
// # Where they are
//
//	Claude Code   CONFIG/projects/SLUG/memory, or autoMemoryDirectory of the person's settings
//	its subagents CONFIG/agent-memory/TYPE, PROJECT/.claude/agent-memory/TYPE, PROJECT/.claude/agent-memory-local/TYPE
//	Serena        PROJECT/.serena/memories
//	memory banks  PROJECT/memory-bank, and those of Kilo Code below its rules
//	Copilot       USER/globalStorage/github.copilot-chat/memory-tool/memories (the person's)
//	              USER/workspaceStorage/ID/GitHub.copilot-chat/memory-tool/memories (a workspace's)
//
// CONFIG is $CLAUDE_CONFIG_DIR or ~/.claude, USER is VS Code's folder of a person. The
// sources, as of November 2026: the settings of @anthropic-ai/claude-agent-sdk 0.3.328
// and code.claude.com/docs; docs.cline.bot and kilo.ai/docs; of microsoft/vscode
// src/vs/workbench/api/common/extHostStoragePaths.ts (whose case of letters differs
// between the two folders) and of microsoft/vscode-copilot-chat
// src/extension/tools/node/memoryTool.tsx.
package places
