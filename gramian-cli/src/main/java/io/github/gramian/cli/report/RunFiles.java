package io.github.gramian.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.github.gramian.cli.chart.Numbers;
import io.github.gramian.io.internal.Checksum;
import io.github.gramian.json.internal.Json;
import io.github.gramian.run.internal.SealedJson;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads a run's files within limits. A missing file is ignored; one that cannot be read leaves a note. */
final class RunFiles {

    private static final int MAX_BYTES_OF_A_LINE = 8 << 20;

    /** The longest string that a page shows, and the longest name: names are repeated all over the page. */
    static final int MAX_CHARACTERS = 1_000;

    static final int MAX_CHARACTERS_OF_A_NAME = 200;

    private final Path folder;
    private final List<String> notes = new ArrayList<>();
    private final Set<String> damaged = new HashSet<>();

    RunFiles(Path folder) {
        this.folder = folder;
    }

    interface LineReader {
        void read(byte[] line) throws IOException;
    }

    /** Adds a sentence on what could not be shown. */
    void note(String sentence) {
        notes.add(sentence);
    }

    /** Adds a note that a file is left out because of its checksum. */
    void noteDamage(String name) {
        note(name + " is damaged, since its checksum does not match, and is left out.");
    }

    /** Sentences on everything that could not be shown, with reasons. */
    List<String> notes() {
        return List.copyOf(notes);
    }

    /** The text of a file, cut where it gets longer than the limit. */
    String text(String name, int maxBytes) {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file)) {
            return "";
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(maxBytes);
            if (in.read() >= 0) {
                notes.add(name + " is longer than " + maxBytes + " bytes; its beginning is shown.");
            }
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            notes.add(name + " cannot be read: " + e.getMessage());
            return "";
        }
    }

    /** The object in a file; a missing node if there is none. */
    JsonNode object(String name, int maxBytes) {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file)) {
            return MissingNode.getInstance();
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(maxBytes + 1);
            if (bytes.length > maxBytes) {
                notes.add(name + " is larger than " + (maxBytes >> 20) + " MiB and is left out.");
                return MissingNode.getInstance();
            }
            if (SealedJson.isDamaged(new String(bytes, StandardCharsets.UTF_8))) {
                noteDamage(name);
                return MissingNode.getInstance();
            }
            return Json.parse(bytes);
        } catch (IOException e) {
            notes.add(name + " is not a readable JSON file and is left out.");
            return MissingNode.getInstance();
        }
    }

    /** Leaves out a file whose checksum differs from the given one. */
    void requireSum(String name, String sum) {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file)) {
            return;
        }
        try (FileChannel channel = FileChannel.open(file)) {
            if (!new Checksum().add(channel, 0, channel.size()).hex().equals(sum)) {
                damaged.add(name);
                noteDamage(name);
            }
        } catch (IOException e) {
            notes.add(name + " cannot be read: " + e.getMessage());
        }
    }

    /** Hands over every line. Those that cannot be read, as the last of a killed process, are skipped. */
    void lines(String name, long maxBytes, LineReader reader) {
        Path file = folder.resolve(name);
        if (!Files.isRegularFile(file) || damaged.contains(name)) {
            return;
        }
        int skipped = 0;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            long read = 0;
            for (int next = in.read(); ; next = in.read(), read++) {
                if (next >= 0 && next != '\n') {
                    if (line.size() <= MAX_BYTES_OF_A_LINE) {
                        line.write(next);
                    }
                    continue;
                }
                skipped += accept(line, reader) ? 0 : 1;
                line.reset();
                if (next < 0) {
                    break;
                }
                if (read > maxBytes) {
                    notes.add(name + " is larger than " + (maxBytes >> 20) + " MiB; the rest is not shown.");
                    break;
                }
            }
        } catch (IOException e) {
            notes.add(name + " cannot be read to its end: " + e.getMessage());
        }
        if (skipped > 0) {
            notes.add(Numbers.count(skipped, "line") + " of " + name + " could not be read and "
                    + (skipped == 1 ? "is" : "are") + " left out.");
        }
    }

    private static boolean accept(ByteArrayOutputStream line, LineReader reader) {
        if (line.size() == 0) {
            return true;
        }
        if (line.size() > MAX_BYTES_OF_A_LINE) {
            return false;
        }
        try {
            reader.read(line.toByteArray());
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
