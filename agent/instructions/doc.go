// Package instructions finds the files that a coding agent loads at the start of a session: instructions of the
// organization, the person and the project, what they import, rules, and the beginning of its memory. Of answers for one tool
// and one directory, in load order; what it finds but is not loaded at the start is listed with the reason.
//
// # Contract
//
// The disk is only read, and only with bounds: at most maxRead bytes of a file, of regular files only, without waiting for a
// FIFO or a device; maxBelow entries of the folders below the directory; maxRules files of a folder of rules and as many imports. Links are
// followed as the tools do, and each file is loaded once, so that cycles end. Names and texts come from anybody: who draws
// them must escape them. Errors are reported as the reason why a file is not loaded.
//
// Nothing is asked of the tool itself. What it decides while it runs is not known here: flags such as --add-dir, extensions
// and plugins, whether a person trusts a folder or approved its imports from elsewhere.
//
// # Sources
//
// Read in November 2026:
//
//	Claude Code  code.claude.com/docs/en/memory (2.1.283)
//	Codex        openai/codex codex-rs/core/src/agents_md.rs; developers.openai.com/codex/guides/agents-md
//	Gemini CLI   google-gemini/gemini-cli 5411f113 packages/core/src: utils/memoryDiscovery.ts, utils/memoryImportProcessor.ts,
//	             context/memoryContextManager.ts, config/config.ts; docs/cli/gemini-md.md, docs/reference/memport.md
//	Qwen Code    QwenLM/qwen-code packages/core/src: utils/memoryDiscovery.ts, utils/memoryImportProcessor.ts,
//	             utils/rulesDiscovery.ts, memory/const.ts, memory/paths.ts, memory/prompt.ts
//	opencode     packages/opencode/src/session/instruction.ts; opencode.ai/docs/rules
//	Cursor       cursor.com/docs/rules; cursor.com/help/customization/rules.md
//
// The order of Claude Code's rules and local instructions within one directory, and of Cursor's rules, is not documented:
// they are listed by name.
package instructions
