package io.github.gramian.io.internal;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The two fields that Gramian needs from an extended POSIX header, which describes the file after it. Its records are {@code length
 * key=value\n}, the length counting the whole record.
 *
 * @param path name of the file; null if it is not given
 * @param size of its content; −1 if it is not given
 */
record PaxHeader(@Nullable String path, long size) {

    static PaxHeader parse(byte[] content, long at) throws TarException {
        String path = null;
        long size = -1;
        int from = 0;
        while (from < content.length && content[from] != 0) {
            int space = indexOf(content, ' ', from);
            int length = length(content, from, space, at);
            int end = from + length;
            int equals = indexOf(content, '=', space);
            if (length <= 0 || end > content.length || content[end - 1] != '\n' || equals >= end) {
                throw broken(at);
            }
            String key = string(content, space + 1, equals);
            String value = string(content, equals + 1, end - 1);
            if (key.equals("path")) {
                path = value;
            } else if (key.equals("size")) {
                size = number(value, at);
            }
            from = end;
        }
        return new PaxHeader(path, size);
    }

    private static int length(byte[] content, int from, int space, long at) throws TarException {
        return (int) Math.min(number(string(content, from, space), at), content.length + 1L - from);
    }

    private static long number(String digits, long at) throws TarException {
        if (!digits.matches("[0-9]{1,18}")) {
            throw broken(at);
        }
        return Long.parseLong(digits);
    }

    private static int indexOf(byte[] content, char wanted, int from) {
        int i = from;
        while (i < content.length && content[i] != wanted) {
            i++;
        }
        return i;
    }

    private static String string(byte[] content, int from, int to) {
        return to <= from ? "" : new String(content, from, to - from, StandardCharsets.UTF_8);
    }

    private static TarException broken(long at) {
        return new TarException("byte " + at + ": the extended tar header before it is broken");
    }
}
