package io.github.gramian.serve.http.internal;

import io.github.gramian.cli.common.TextFile;
import io.github.gramian.serve.inference.internal.FileStamp;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Keys of clients from a file: a line {@code name:key} each, of at least 16 characters; empty lines and lines with # do not
 * count. Only hashes are stored, and every key is compared with all of them, so that response times reveal nothing.
 */
final class ApiKeys {

    private static final int MIN_LENGTH = 16;
    private static final int MAX = 10_000;
    private static final long MAX_BYTES = 8 << 20;
    private static final Pattern LINE =
            Pattern.compile("([A-Za-z0-9._-]{1,64}):([\\x21-\\x7e]{" + MIN_LENGTH + ",256})");

    private final Path file;
    private volatile Loaded loaded;

    @SuppressWarnings("ArrayRecordComponent") // never compared but in constant time
    private record Key(String name, byte[] hash) {}

    private record Loaded(FileStamp stamp, List<Key> keys) {}

    private ApiKeys(Path file) throws IOException {
        this.file = file;
        this.loaded = load();
    }

    static ApiKeys of(Path file) throws IOException {
        return new ApiKeys(file);
    }

    private Loaded load() throws IOException {
        FileStamp stamp = FileStamp.readable(file, MAX_BYTES);
        List<Key> keys = new ArrayList<>();
        int number = 0;
        for (String line : TextFile.read(file).lines().toList()) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            var parts = LINE.matcher(text);
            if (!parts.matches() || keys.size() == MAX) {
                // The line itself is a secret.
                throw new IllegalArgumentException(file + ":" + number + ": a line is name:key, with a key of "
                        + MIN_LENGTH + " to 256 characters without spaces; at most " + MAX + " lines");
            }
            keys.add(new Key(parts.group(1), hash(parts.group(2))));
        }
        if (keys.isEmpty()) {
            throw new IllegalArgumentException(
                    file + " has no key, so no client could use the server; add a line name:key");
        }
        return new Loaded(stamp, List.copyOf(keys));
    }

    /** Reads the file again if it has changed. If it cannot be read, the old keys remain in use. */
    boolean refresh() throws IOException {
        FileStamp now = FileStamp.of(file);
        if (now.equals(loaded.stamp())) {
            return false;
        }
        loaded = new Loaded(now, loaded.keys()); // so that a file that cannot be read is reported once
        loaded = load();
        return true;
    }

    /** Name of the key of a request, from {@code Authorization: Bearer} or {@code X-API-Key}. */
    Optional<String> nameFor(RequestContext context) {
        Optional<String> given = context.header("Authorization")
                .filter(header -> header.regionMatches(true, 0, "Bearer ", 0, 7))
                .map(header -> header.substring(7).strip())
                .or(() -> context.header("X-API-Key"));
        byte[] hash = hash(given.orElse(""));
        String found = "";
        for (Key key : loaded.keys()) {
            if (MessageDigest.isEqual(key.hash(), hash)) {
                found = key.name();
            }
        }
        return found.isEmpty() ? Optional.empty() : Optional.of(found);
    }

    private static byte[] hash(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
