package com.anthropic.helpers;

import java.util.List;
import java.util.Optional;

/** The SDK's interface, in its form, for machines without it. */
public interface BetaMemoryToolHandler {
    String create(String path, String fileText);

    String view(String path, Optional<List<Long>> viewRange);

    String strReplace(String path, String oldStr, String newStr);

    String insert(String path, long insertLine, String insertText);

    String delete(String path);

    String rename(String oldPath, String newPath);
}
