package agent

import (
	"context"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// MemoryTool is the name under which a model calls the memory tool.
const MemoryTool = "memory"

// Memory is what the memory tool works on: a store, or those of a session.
type Memory interface {
	Tool(context.Context, versions.By, memfs.Command, memfs.Options) (memfs.Result, versions.Change, error)
}

// Called is a call of the memory tool that was answered.
type Called struct {
	ToolUse string        // the call's id; empty when it came without
	Command memfs.Command // nil when it could not be understood
	Result  memfs.Result  // what the model reads back, to the letter
	Change  versions.Change
}

// Call carries out one call: a whole tool_use block, or the tool's input alone.
// What the model did wrong is in the result. When the store fails the model is told
// so too, and the error is for the person.
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

// cancelled answers a call that was not carried out.
const cancelled = "cancelled"

// commandPaths are the paths of a command as the model gave them: where the memory
// is afterwards, and where it was when the command moves it.
func commandPaths(c memfs.Command) (path, from string) {
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

// callEvent is what an event says of a call.
func callEvent(kind Kind, use Block) Event {
	e := Event{Kind: kind, ToolUse: use.ID, Tool: use.Name}
	if c, _, refused := memfs.Decode(use.Raw()); refused == nil {
		e.Command = c.Name()
		e.Path, e.From = commandPaths(c)
	}
	return e
}
