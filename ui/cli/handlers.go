package cli

import (
	"embed"
	"maps"
	"slices"
)

// handlerFiles connect the memory tools of the official SDKs to `memend tool`. Developers of
// agents copy them.
//
//go:embed handlers
var handlerFiles embed.FS

var handlers = map[string]string{"python": "memory_tool.py", "typescript": "memory_tool.ts", "java": "MemendMemoryTool.java"}

// printHandler prints the source of the handler for a language.
func printHandler(p *console, command, language string) error {
	name, ok := handlers[language]
	switch {
	case language == "go": // a program in Go needs no process between it and the store
		return &hinted{misusef(command, "--handler go: a program in Go imports the package agent/messages instead"),
			"agent/messages/example_test.go shows the tool runner of the official SDK with a store"}
	case !ok:
		return misusef(command, "--handler %s: must be %s", language, oneOf(slices.Sorted(maps.Keys(handlers))))
	}
	b, err := handlerFiles.ReadFile("handlers/" + name)
	if err != nil {
		return err
	}
	_, err = p.out.Write(b)
	return err
}
