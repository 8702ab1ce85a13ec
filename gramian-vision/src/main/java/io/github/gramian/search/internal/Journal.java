package io.github.gramian.search.internal;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.internal.SealedJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The memory of a search: a line of JSON with its checksum for each finished trial and each decision that depended on the
 * clock. A search that is given its journal again repeats what stands there without computing it, and goes on after it. A
 * killed search leaves at most one half-written line, the last one, which is cut off.
 */
final class Journal {

    private static final long MAX_BYTES = 1L << 26;

    private final Path file;
    private final Map<String, TrialResult> trials = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();
    private final Set<String> refusals = new LinkedHashSet<>();
    private Optional<Integer> start = Optional.empty();
    private double seconds;

    private Journal(Path file) {
        this.file = file;
    }

    /**
     * Opens the journal of a search, or begins it.
     *
     * @param fingerprint of everything that results depend on
     * @throws IllegalArgumentException if it is of another search
     */
    static Journal open(Path file, String fingerprint) throws IOException {
        Journal journal = new Journal(file);
        if (!Files.exists(file)) {
            AtomicFile.makeFolder(requireNonNull(file.toAbsolutePath().getParent()));
            journal.append(Json.object().put("search", fingerprint));
            return journal;
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IllegalArgumentException(
                    file + " is too large for the journal of a search; is this the right file?");
        }
        List<JsonNode> lines = journal.complete();
        if (lines.isEmpty()) {
            journal.append(Json.object().put("search", fingerprint));
        } else if (!lines.get(0).path("search").asText().equals(fingerprint)) {
            throw new IllegalArgumentException(
                    file
                            + " belongs to a search with other images, weights, settings or another space; choose another --out");
        } else {
            lines.subList(1, lines.size()).forEach(journal::take);
        }
        return journal;
    }

    /** The lines that were completely written; a partial line after them, left by a killed process, is cut off. */
    private List<JsonNode> complete() throws IOException {
        // Bytes that are not UTF-8 become other characters, and the checksum of their line does not match.
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        List<JsonNode> lines = new ArrayList<>();
        int end = 0;
        for (int line = text.indexOf('\n'); line >= 0; line = text.indexOf('\n', end)) {
            Optional<ObjectNode> read = SealedJson.parse(text.substring(end, line));
            if (read.isEmpty()) {
                if (line + 1 < text.length()) {
                    throw new IllegalArgumentException(file + " is damaged in line " + (lines.size() + 1)
                            + "; delete it to search again (features remain cached)");
                }
                break;
            }
            lines.add(read.get());
            end = line + 1;
        }
        if (end < text.length()) {
            AtomicFile.writeText(file, text.substring(0, end));
        }
        return lines;
    }

    private void take(JsonNode line) {
        seconds = Math.max(seconds, line.path("at").asDouble(0));
        if (line.has("trial")) {
            TrialResult trial = Json.convert(line.get("trial"), TrialResult.class);
            trials.put(key(trial.candidate(), trial.rung()), trial);
        } else if (line.has("failed")) {
            failures.put(line.get("failed").asText(), line.path("why").asText());
        } else if (line.has("refused")) {
            refusals.add(line.get("refused").asText());
        } else if (line.has("start")) {
            start = Optional.of(line.get("start").asInt());
        }
    }

    private void append(ObjectNode line) throws IOException {
        AtomicFile.append(file, SealedJson.seal(Json.text(line)) + "\n");
    }

    private static String key(String candidate, int rung) {
        return candidate + " " + rung;
    }

    private void keep(ObjectNode line, double at) throws IOException {
        append(line.put("at", Math.round(1e3 * at) / 1e3));
        take(line);
    }

    /** A trial is over. */
    void keep(TrialResult trial, double at) throws IOException {
        ObjectNode line = Json.object();
        line.set("trial", Json.treeOf(trial));
        keep(line, at);
    }

    /** A candidate cannot be scored at all. */
    void keepFailure(String candidate, String why, double at) throws IOException {
        keep(Json.object().put("failed", candidate).put("why", why), at);
    }

    /**
     * There was no time for something.
     *
     * @param what with the limit, since another limit decides again
     */
    void keepRefusal(String what, double at) throws IOException {
        keep(Json.object().put("refused", what), at);
    }

    /** The rung on which candidates start. */
    void keepStart(int rung, double at) throws IOException {
        keep(Json.object().put("start", rung), at);
    }

    Optional<TrialResult> trial(String candidate, int rung) {
        return Optional.ofNullable(trials.get(key(candidate, rung)));
    }

    Collection<TrialResult> trials() {
        return List.copyOf(trials.values());
    }

    /** Candidates that failed, and why. */
    Map<String, String> failures() {
        return Map.copyOf(failures);
    }

    boolean isRefused(String what) {
        return refusals.contains(what);
    }

    Optional<Integer> start() {
        return start;
    }

    /** Seconds that the search had used when the last line was written. */
    double seconds() {
        return seconds;
    }
}
