package demo

import (
	"slices"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
)

// Host returns the options of the demo's server for other programs: those of API and, for
// any other model, which has the usual context window, a few turns with the memory tool
// that the program offers.
func Host(speed float64) script.Options {
	o := API(speed)
	for i := range o.Conversations {
		o.Conversations[i].Model = Model
	}
	o.Models = script.DefaultModels // real agents begin with more than the demo's small window holds
	o.Any, o.Otherwise = script.DefaultModels[0], hostedTurn
	return o
}

// hostedFile is the memory that an agent of another program writes.
const hostedFile = "/memories/demo.md"

// toolSearch is the tool with which Claude Code loads tools that it does not offer at once,
// such as those of MCP servers; claudeTool is memend's tool there.
const toolSearch, claudeTool = "ToolSearch", "mcp__memend__memory"

// hostedTurn returns the next turn of an agent that another program runs. The program may add
// reminders beside the results of calls, so calls are counted from its last message without
// results.
func hostedTurn(r script.Request) script.Turn {
	calls := called(r.Messages)
	tool := memoryTool(r.Tools)
	if tool == "" && slices.Contains(r.Tools, toolSearch) && calls[toolSearch] == 0 {
		return turn(script.Use(toolSearch, map[string]any{"query": "select:" + claudeTool, "max_results": 1}))
	}
	if tool == "" {
		return turn(script.Say("I am a scripted agent: nothing was sent to a model. With memend's memory tool, which `memend setup` adds to your agent, I would read and write a memory."))
	}
	use := func(input map[string]any) script.Block { return script.Use(tool, input) }
	switch calls[tool] {
	case 0:
		return turn(script.Say("I'll look at what is remembered first."), use(map[string]any{"command": "view", "path": "/memories"}))
	case 1:
		return turn(use(map[string]any{"command": "create", "path": hostedFile, "file_text": "# Visits of a scripted agent\n\n- it came by\n"}))
	case 2:
		return turn(use(map[string]any{"command": "insert", "path": hostedFile, "insert_line": 2, "insert_text": "- it wrote this in a second step\n"}))
	}
	return turn(script.Say("I looked at the memories and wrote " + hostedFile + ". I am a scripted agent: nothing was sent to a model."))
}

// memoryTool returns the name of the memory tool; agents prefix it with the server's name.
func memoryTool(tools []string) string {
	i := slices.IndexFunc(tools, func(name string) bool {
		return name == "memory" || strings.HasSuffix(name, "_memory") && strings.Contains(name, "memend")
	})
	if i < 0 {
		return ""
	}
	return tools[i]
}

// called counts the calls of each tool since the last prompt.
func called(messages []agent.Message) map[string]int {
	out := map[string]int{}
	for _, m := range slices.Backward(messages) {
		if m.Role != "assistant" && !slices.ContainsFunc(m.Content, func(b agent.Block) bool { return b.Type == agent.TypeToolResult }) {
			break
		}
		for _, b := range m.Content {
			if b.Type == agent.TypeToolUse {
				out[b.Name]++
			}
		}
	}
	return out
}
