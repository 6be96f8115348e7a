// Package places finds the folders in which other tools keep what their agents remember, and the files by which people
// instruct agents. Discover finds those on this
// machine; Add gives one a trail. Each place is a row of data (rows): patterns of folders, how to tell the project, what not
// to touch, and whether agents load an index. A new place is a row and a fixture.
//
// # Contract
//
// Nothing is written to a found folder or near it: discovery reads names, sizes, times, the beginnings of transcripts and a
// few settings. Only Add writes, to memend's own home. A folder whose tool says that it has a version that memend does not
// know is found, with the reason, and can't be added.
//
// Discovery is bounded by the known projects, by a budget of entries, and by the context. It does not walk the home folder.
// It follows links to the wanted folder but not inside it, so loops do no harm. Errors are reported beside what was found.
// A place whose project does not exist any more is marked.
//
// Only Here reads the environment.
//
// # Where they are
//
//	Claude Code   CONFIG/projects/SLUG/memory, or autoMemoryDirectory of the person's settings
//	its subagents CONFIG/agent-memory/TYPE, PROJECT/.claude/agent-memory/TYPE, PROJECT/.claude/agent-memory-local/TYPE
//	Serena        PROJECT/.serena/memories, ~/.serena/memories/global
//	memory banks  PROJECT/memory-bank, and those of Kilo Code below its rules
//	Copilot       USER/globalStorage/github.copilot-chat/memory-tool/memories (the person's)
//	              USER/workspaceStorage/ID/GitHub.copilot-chat/memory-tool/memories (a workspace's)
//	instructions  CLAUDE.md, AGENTS.md and others of a project, of the person's home, and of a tool's folder that a variable
//	              moved: named files, see instructions.go
//	others        see rows
//
// CONFIG is $CLAUDE_CONFIG_DIR or ~/.claude, USER is VS Code's folder of a person. The
// sources, as of November 2026: the settings of @anthropic-ai/claude-agent-sdk 0.3.328
// and code.claude.com/docs; oraios.github.io/serena/02-usage/045_memories.html;
// docs.cline.bot and kilo.ai/docs; of microsoft/vscode
// src/vs/workbench/api/common/extHostStoragePaths.ts (whose case of letters differs
// between the two folders) and of microsoft/vscode-copilot-chat
// src/extension/tools/node/memoryTool.tsx; openai/codex codex-rs/memories/write (src/lib.rs,
// src/extensions/ad_hoc.rs, templates/memories/consolidation.md), codex-rs/ext/memories
// src/tools/ad_hoc_note.rs; google-gemini/gemini-cli
// packages/core/src/config (storage.ts, projectRegistry.ts), 5411f113; QwenLM/qwen-code
// packages/core/src (memory/paths.ts, memory/types.ts, config/storage.ts: QWEN_HOME and
// QWEN_RUNTIME_DIR); NousResearch/hermes-agent tools/memory_tool.py,
// hermes_constants.py; docs.openclaw.ai/concepts/memory; block/goose crates/goose-mcp/src/memory/mod.rs;
// letta-ai/letta-code src/agent/memory-filesystem.ts, src/backend/local/paths.ts;
// docs.langchain.com/oss/javascript/deepagents/code/memory-and-skills;
// basicmachines-co/basic-memory src/basic_memory/config.py; kiro.dev/docs/steering.
package places
