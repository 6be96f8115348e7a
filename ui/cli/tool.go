package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) toolCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tool",
		Short: "Run an agent's memory-tool commands",
		Long: `Run commands of the memory tool (memory_20250818): one JSON object a line on
standard input, either the tool's input or a whole tool_use block, and one line
with what the model should read back on standard output. What the model did
wrong is an answer with is_error; memtrail itself fails only when the store
does.

Commands are made by an agent called "agent" unless --actor says who it is.`,
		Example: `  echo '{"command":"view","path":"/memories"}' | memtrail tool
  memtrail tool --actor agent:claude --session run-42 < blocks.jsonl`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			by, err := p.by(versions.Agent, "agent")
			if err != nil {
				return err
			}
			return p.withStore(cmd.Context(), func(s *versions.Store) error { return p.tool(cmd.Context(), s, by) })
		},
	}
}

type toolResultJSON struct {
	ToolUseID string `json:"tool_use_id,omitempty"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error"`
}

// tool answers line by line, each at once: whoever asked waits for it.
func (p *program) tool(ctx context.Context, s *versions.Store, by versions.By) error {
	var failed error
	in := bufio.NewReader(p.in)
	for {
		line, rerr := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			answer, err := toolCall(ctx, s, by, line)
			if err != nil {
				fmt.Fprintf(p.err, "memtrail: %s\n", text.Field(err.Error()))
				failed = errToldAlready
			}
			if err := errors.Join(p.emit(answer), p.out.Flush()); err != nil {
				return &outputError{err}
			}
		}
		if errors.Is(rerr, io.EOF) {
			return failed
		}
		if rerr != nil {
			return fmt.Errorf("read standard input: %w", rerr)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// toolCall carries out one call. When the store fails the model is told so, and
// the error is for the person.
func toolCall(ctx context.Context, s *versions.Store, by versions.By, input []byte) (toolResultJSON, error) {
	c, id, refused := memfs.Decode(input)
	if refused != nil {
		return toolResultJSON{id, refused.Text, refused.IsError}, nil
	}
	by.ToolUse = id
	result, _, err := s.Tool(ctx, by, c, memfs.Options{})
	if err != nil {
		result = memfs.ResultOf(err, c)
	}
	return toolResultJSON{id, result.Text, result.IsError}, err
}
