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
	"strconv"
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

// Sizes returns the bytes of contents, -1 for one that is not in the repository.
func Sizes(ctx context.Context, dir string, blobs []string) (sizes []int64, err error) {
	if len(blobs) == 0 {
		return nil, nil
	}
	cmd := Command(ctx, dir, "cat-file", "--batch-check=%(objectsize)")
	cmd.Stdin = strings.NewReader(strings.Join(blobs, "\n") + "\n")
	out, err := cmd.Output()
	if err != nil {
		return nil, Error(dir, err, nil)
	}
	for line := range strings.Lines(string(out)) {
		n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			n = -1
		}
		sizes = append(sizes, n)
	}
	if len(sizes) != len(blobs) {
		return nil, fmt.Errorf("git in %s: %w", dir, unsound("it says the sizes of %d contents of %d", len(sizes), len(blobs)))
	}
	return sizes, nil
}

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
		line, err := p.token()
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
