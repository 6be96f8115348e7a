import com.anthropic.helpers.BetaMemoryToolHandler;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Claude's memory tool for the Java SDK (com.anthropic), kept in a memend store.
 *
 * <pre>{@code
 * var memory = new MemendMemoryTool("--store", "notes", "--session", "run-42");
 * ToolRunnerCreateParams.builder().betaMemoryToolHandler(memory) ...
 * }</pre>
 *
 * The arguments are those of {@code memend tool}. One process serves all calls.
 */
public final class MemendMemoryTool implements BetaMemoryToolHandler, AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private final Writer commands;
    private final BufferedReader answers;

    public MemendMemoryTool(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of("memend", "tool"));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        commands = process.outputWriter(java.nio.charset.StandardCharsets.UTF_8);
        answers = process.inputReader(java.nio.charset.StandardCharsets.UTF_8);
    }

    private synchronized String run(String command, Object... input) {
        Map<String, Object> call = new LinkedHashMap<>();
        call.put("command", command);
        for (int i = 0; i < input.length; i += 2) {
            call.put((String) input[i], input[i + 1]);
        }
        try {
            commands.write(JSON.writeValueAsString(call) + "\n");
            commands.flush();
            String line = answers.readLine();
            if (line == null) {
                throw new IOException("memend tool has ended");
            }
            JsonNode answer = JSON.readTree(line);
            return answer.get("content").asText(); // the text of an error too: the model reads it
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String view(String path, Optional<List<Long>> viewRange) {
        return viewRange.isPresent() ? run("view", "path", path, "view_range", viewRange.get()) : run("view", "path", path);
    }

    @Override
    public String create(String path, String fileText) {
        return run("create", "path", path, "file_text", fileText);
    }

    @Override
    public String strReplace(String path, String oldStr, String newStr) {
        return run("str_replace", "path", path, "old_str", oldStr, "new_str", newStr);
    }

    @Override
    public String insert(String path, long insertLine, String insertText) {
        return run("insert", "path", path, "insert_line", insertLine, "insert_text", insertText);
    }

    @Override
    public String delete(String path) {
        return run("delete", "path", path);
    }

    @Override
    public String rename(String oldPath, String newPath) {
        return run("rename", "old_path", oldPath, "new_path", newPath);
    }

    @Override
    public void close() throws IOException {
        commands.close();
    }
}
