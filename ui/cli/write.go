package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

func hashOf(content []byte) versions.Hash { return sha256.Sum256(content) }

func writeCommand(p *program) *cobra.Command {
	var file, ifHash string
	var ifAbsent bool
	cmd := &cobra.Command{
		Use:               "write PATH",
		Annotations:       map[string]string{overview: "make, change", changes: always},
		Short:             "Create or replace a memory",
		ValidArgsFunction: p.completePaths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if ifAbsent && ifHash != "" {
				return misusef(cmd.CommandPath(), "--if-absent and --if-sha256 exclude each other")
			}
			pre := versions.Pre{Absent: ifAbsent}
			unknown := false
			if ifHash != "" {
				var err error
				if pre.SHA256, err = versions.ParseHash(ifHash); err != nil {
					return &misuse{err, cmd.CommandPath()}
				}
				unknown = pre.SHA256 == (versions.Hash{}) // to the engine it would mean no precondition
			}
			return p.withStoreAt(cmd.Context(), pathsOf(args[0]), func(s *engine.Store) error {
				path, err := pathArg(s, cmd.CommandPath(), args[0])
				if err != nil {
					return err
				}
				if unknown {
					return fmt.Errorf("write %s: %w", path.Tool(), errNoContent)
				}
				content, err := readInput(&p.console, file)
				if err != nil {
					return err
				}
				return writeMemory(&p.caller, cmd, s, path, content, pre)
			})
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "read the text from `FILE` instead of standard input (-)")
	cmd.Flags().StringVar(&ifHash, "if-sha256", "", "only if the content of the memory has this `HASH`")
	cmd.Flags().BoolVar(&ifAbsent, "if-absent", false, "only if the path is free")
	return cmd
}

// errNoContent refuses a hash that no content can have.
var errNoContent = errors.New("no content has this hash; nothing was written")

func writeMemory(p *caller, cmd *cobra.Command, s *engine.Store, path memfs.Path, content []byte, pre versions.Pre) error {
	c, err := s.Write(cmd.Context(), p.by, path, content, pre)
	if err != nil {
		return err
	}
	reportChange(&p.console, c)
	return offerNote(cmd.Context(), p, s, c)
}

// offerNote offers to write a note about a correction to a tool that would lose it otherwise.
func offerNote(ctx context.Context, p *caller, s *engine.Store, c versions.Change) error {
	if !p.by.Person() || !places.NeedsNote(s.Info(), c) {
		return nil
	}
	at, text, err := places.NoteFor(ctx, local.Store{Store: s}, s.Info(), c, p.now())
	if err != nil || text == nil {
		return err
	}
	fmt.Fprintf(p.err, "memend: %s\n", places.KindOf(s.Info()).Keep())
	if !p.canAsk() || p.json || !p.confirm("Write such a note too?") {
		return nil
	}
	if c, err = s.Write(ctx, p.by, at, text, versions.Pre{Absent: true}); err == nil {
		reportChange(&p.console, c)
	}
	return err
}

// readInput reads the text to write, which must be UTF-8.
func readInput(p *console, file string) ([]byte, error) {
	from, in := "standard input", p.in
	if file != "" && file != stdStream {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from, in = file, f
	} else if isTerminal(p.in) {
		fmt.Fprintln(p.err, "memend: type the memory, then end it with ^D on a line of its own")
	}
	content, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(content) {
		return nil, &hinted{fmt.Errorf("%s is not UTF-8 text", from), "memories are text; convert it first (iconv -t utf-8)"}
	}
	return content, nil
}
