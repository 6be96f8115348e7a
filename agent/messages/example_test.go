package messages_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

// memoryTool gives the tool runner of the official SDK a store as its memory.
type memoryTool struct {
	store *engine.Store
	by    versions.By
}

func (memoryTool) Name() string        { return "memory" }
func (memoryTool) Description() string { return "" } // the API has both itself

func (memoryTool) InputSchema() anthropic.BetaToolInputSchemaParam {
	return anthropic.BetaToolInputSchemaParam{}
}

func (m memoryTool) Execute(ctx context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	called, err := agent.Call(ctx, m.store, m.by, input)
	if err != nil {
		return nil, err
	}
	if called.Result.IsError {
		return nil, errors.New(strings.TrimPrefix(called.Result.Text, "Error: ")) // the runner puts it back
	}
	return []anthropic.BetaToolResultBlockParamContentUnion{{OfText: &anthropic.BetaTextBlockParam{Text: called.Result.Text}}}, nil
}

// An agent that is made with the tool runner of the official Go SDK keeps its memory in a
// store. Here a scripted API answers; without option.WithBaseURL it is the real one.
func Example_toolRunner() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "memend-example-")
	must(err)
	defer func() { must(os.RemoveAll(home)) }()
	trail, err := engine.Open(ctx, home, versions.Options{})
	must(err)
	defer func() { must(trail.Close()) }()
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "my-agent"}, Session: "run-42"}
	info, err := stores.CreateStore(ctx, trail, by, "notes", "", "")
	must(err)
	store, err := trail.OpenStore(ctx, info.ID)
	must(err)
	defer func() { must(store.Close()) }()

	api, err := script.New(script.Options{Conversations: []script.Conversation{script.Play(
		script.Turn{Blocks: []script.Block{script.Create("/memories/tea.md", "Dana drinks green tea.\n")}},
		script.Turn{Blocks: []script.Block{script.View("/memories/tea.md")}},
		script.Turn{Blocks: []script.Block{script.Say("I'll remember that.")}},
	)}})
	must(err)
	defer func() { must(api.Close()) }()

	client := anthropic.NewClient(option.WithBaseURL(api.URL()), option.WithAPIKey("any"))
	runner := client.Beta.Messages.NewToolRunner([]anthropic.BetaTool{memoryTool{store, by}}, anthropic.BetaToolRunnerParams{
		BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model:     "scripted",
			MaxTokens: 1024,
			Messages:  []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("I drink green tea."))},
			Tools:     []anthropic.BetaToolUnionParam{{OfMemoryTool20250818: &anthropic.BetaMemoryTool20250818Param{}}},
		},
		DisableThread: true, // the scripted API keeps no message threads
	})
	last, err := runner.RunToCompletion(ctx)
	must(err)
	fmt.Println(last.Content[0].Text)

	changes, err := history.Changes(ctx, store, versions.Filter{Session: "run-42"}, 0, 10)
	must(err)
	for _, c := range changes {
		fmt.Println(c.Kind, c.Path.Tool(), "by", c.Actor.Name)
	}
	// Output:
	// I'll remember that.
	// create /memories/tea.md by my-agent
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
