//go:build unix

package mcp

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/memfs/testdata/conformance"
	"github.com/memend/memend/versions"
)

// Every case of the memory tool, asked by a client: the answers are those of the
// protocol to the letter.
func TestMemoryToolAnswersAsTheCasesSay(t *testing.T) {
	t.Parallel()
	trail := openTrail(t, versions.Options{}) // one for all: to open a home takes longer than most cases
	conformance.Run(t, "../../memfs/testdata/memory-tool-cases.json", func(t *testing.T, folder string) conformance.Answer {
		w := worldIn(t, trail, folder, func(o *Options) { o.Tools = MemoryTool })
		c := w.connect("cases", nil)
		return func(t *testing.T, input []byte) (string, bool) {
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory", Arguments: json.RawMessage(input)})
			if err != nil {
				t.Fatal(err)
			}
			return textOf(res), res.IsError
		}
	})
}
