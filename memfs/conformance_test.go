//go:build unix

package memfs

import (
	"testing"

	"github.com/memend/memend/memfs/testdata/conformance"
)

func TestMemoryToolPassesTheConformanceCases(t *testing.T) {
	conformance.Run(t, "testdata/memory-tool-cases.json", func(t *testing.T, folder string) conformance.Answer {
		d, err := OpenDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return func(t *testing.T, input []byte) (string, bool) {
			got := d.run(input)
			return got.Text, got.IsError
		}
	})
}
