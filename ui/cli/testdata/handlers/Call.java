import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

public class Call {
    public static void main(String[] args) throws Exception {
        ObjectMapper json = new ObjectMapper();
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (MemendMemoryTool tool = new MemendMemoryTool(args)) {
            for (String line; (line = in.readLine()) != null; ) {
                out.println(json.writeValueAsString(Map.of("content", answer(tool, json.readTree(line)), "is_error", false)));
            }
        }
    }

    static String answer(MemendMemoryTool tool, JsonNode call) {
        switch (call.get("command").asText()) {
            case "view":
                JsonNode range = call.get("view_range");
                return tool.view(text(call, "path"), range == null ? Optional.empty() : Optional.of(List.of(range.get(0).asLong(), range.get(1).asLong())));
            case "create":
                return tool.create(text(call, "path"), text(call, "file_text"));
            case "str_replace":
                return tool.strReplace(text(call, "path"), text(call, "old_str"), text(call, "new_str"));
            case "insert":
                return tool.insert(text(call, "path"), call.get("insert_line").asLong(), text(call, "insert_text"));
            case "delete":
                return tool.delete(text(call, "path"));
            default:
                return tool.rename(text(call, "old_path"), text(call, "new_path"));
        }
    }

    static String text(JsonNode call, String name) {
        return call.get(name).asText();
    }
}
