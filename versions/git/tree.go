package git

import (
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
)

// Entry is a file in a tree. The zero Entry is none.
type Entry struct {
	Mode string // "100644", or "120000" for a link
	Blob string // id of the content
}

// Regular reports whether it is a regular file.
func (e Entry) Regular() bool { return Regular(e.Mode) }

// Regular reports whether a mode is that of a regular file.
func Regular(mode string) bool { return strings.HasPrefix(mode, "100") }

// Files reads the files of a commit's tree by their paths, all or those below a folder.
func Files(ctx context.Context, dir, commit, folder string) (map[string]Entry, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", commit}
	if folder != "" {
		args = append(args, folder+"/")
	}
	p, err := Start(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	defer p.Kill()
	out := map[string]Entry{}
	for {
		line, err := p.Token()
		if errors.Is(err, io.EOF) {
			return out, p.End()
		}
		if err != nil {
			return nil, cmp.Or(p.End(), err)
		}
		head, name, _ := strings.Cut(line, "\t") // 100644 blob ID
		words := strings.Fields(head)
		if len(words) != 3 {
			return nil, unsound("git lists %.80q", line)
		}
		out[name] = Entry{words[0], words[2]}
	}
}

// BlobID returns the id that git gives a content, in a repository where ids are as long as like.
func BlobID(content []byte, like string) string {
	var h hash.Hash = sha1.New()
	if len(like) == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
