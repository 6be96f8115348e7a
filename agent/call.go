package agent

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// MemoryTool is the name of the memory tool in the Messages API.
const MemoryTool = "memory"

// Memory is what the memory tool works on: a store, or the stores of a session.
type Memory interface {
	Tool(context.Context, versions.By, memfs.Command, memfs.Options) (memfs.Result, versions.Change, error)
}

// Called is a memory tool call with its result.
type Called struct {
	ToolUse string        // the call's id; empty if it has none
	Command memfs.Command // nil if it could not be decoded
	Result  memfs.Result  // exactly what the model reads back
	Change  versions.Change
}

// Call runs one call: a whole tool_use block, or the tool's input alone. A mistake of the
// model is reported in the result only. If the store fails, the result tells the model and the
// error tells the person.
func Call(ctx context.Context, m Memory, by versions.By, input []byte) (Called, error) {
	c, id, refused := memfs.Decode(input)
	called := Called{ToolUse: id, Command: c}
	if refused != nil {
		called.Result = *refused
		return called, nil
	}
	by.ToolUse = id
	var err error
	called.Result, called.Change, err = m.Tool(ctx, by, c, memfs.Options{})
	if errors.Is(err, context.Canceled) { // before anything was written
		called.Result = memfs.Result{Text: cancelled, IsError: true}
	} else if err != nil {
		called.Result = memfs.ResultOf(err, c)
	}
	return called, err
}

// cancelled is the result of a call that was not run.
const cancelled = "cancelled"

// CommandPaths returns the paths of a command as the model wrote them: where the memory is
// after the command, and where it was if the command moves it.
func CommandPaths(c memfs.Command) (path, from string) {
	switch c := c.(type) {
	case memfs.View:
		return c.Path, ""
	case memfs.Create:
		return c.Path, ""
	case memfs.StrReplace:
		return c.Path, ""
	case memfs.Insert:
		return c.Path, ""
	case memfs.Delete:
		return c.Path, ""
	case memfs.Rename:
		return c.NewPath, c.OldPath
	}
	return "", ""
}

// callEvent returns an event about a call.
func callEvent(kind Kind, use Block) Event {
	e := Event{Kind: kind, ToolUse: use.ID, Tool: use.Name}
	if c, _, refused := memfs.Decode(use.Raw()); refused == nil {
		e.Command = c.Name()
		e.Path, e.From = CommandPaths(c)
	}
	return e
}
