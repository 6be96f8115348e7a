package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/engine"
)

func catCommand(p *program) *cobra.Command {
	var numbers bool
	var at string
	cmd := &cobra.Command{
		Use:               "cat PATH[:LINES]...",
		Annotations:       map[string]string{overview: "print"},
		Short:             "Print memories",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at != "" && numbers {
				return misusef(cmd.CommandPath(), "--at prints whole memories: leave out --number")
			}
			if at != "" {
				return withStoreOf(&p.storeOpener, cmd, at, args, printMemoriesAt)
			}
			return p.withStoreAt(cmd.Context(), pathsOf(args...), func(s *engine.Store) error {
				for _, arg := range args {
					path, of, err := pathAndLines(cmd.Context(), s, cmd.CommandPath(), arg)
					if err != nil {
						return err
					}
					if err := printMemory(&p.console, cmd, s, path, of, numbers); err != nil {
						return err
					}
					s.NoteRead(p.by, path)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVarP(&numbers, "number", "n", false, "number the lines")
	atFlag(&p.storeOpener, cmd, &at, "print what was there at this `TIME`, or after this change")
	return cmd
}

// readMemory returns the whole content of a file of the store, memory or not.
func readMemory(ctx context.Context, s *engine.Store, path memfs.Path) ([]byte, error) {
	f, err := s.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path.Tool(), err)
	}
	return content, nil
}

type contentJSON struct {
	Path   string `json:"path"`
	Size   int    `json:"content_size_bytes"`
	SHA256 string `json:"content_sha256"`
	linesJSON
	textJSON
}

// printMemory prints a file, or lines of it. To a pipe, a whole file is streamed, however large it
// is.
func printMemory(p *console, cmd *cobra.Command, s *engine.Store, path memfs.Path, of lines, numbers bool) error {
	if !p.json && !p.terminal && !numbers && of.all() {
		f, err := s.Open(cmd.Context(), path)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err = io.Copy(p.out, io.NewSectionReader(f, 0, f.Size())); err != nil {
			return fmt.Errorf("print %s: %w", path.Tool(), err)
		}
		return nil
	}
	content, err := readMemory(cmd.Context(), s, path)
	if err != nil {
		return err
	}
	return printContent(p, path, content, of, numbers)
}

// printContent prints a text that was read, or lines of it.
func printContent(p *console, path memfs.Path, content []byte, of lines, numbers bool) (err error) {
	j := contentJSON{Path: path.Tool(), Size: len(content), SHA256: hashOf(content).String(), linesJSON: of.json()}
	if content, err = of.of(content, path.Tool()); err != nil {
		return err
	}
	if p.json {
		j.textJSON = textOf(content)
		p.emit(j)
		return nil
	}
	if !numbers {
		p.raw(content)
		return nil
	}
	n := max(of.from-1, 0)
	for line := range strings.Lines(string(content)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if p.terminal {
			line = text.Field(strings.TrimSuffix(line, "\r"))
		}
		p.println("%6d\t%s", n, line)
	}
	return nil
}
