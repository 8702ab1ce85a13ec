package io.github.gramian.io.internal;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of files as strings, and back. To the system a name is bytes, which need not be valid in the encoding that Java was
 * started with, and not every string is a name. Bytes that are not valid are shown in hexadecimal ({@code odd\xFF.png}).
 * Characters that no path can have are replaced by their codes, after a backslash and a u. No file is found under
 * either, so that one bad name among a million files is one more rejected file and not an error.
 */
public final class FileNames {

    private static final char REPLACEMENT = '\uFFFD';
    private static final Pattern PERCENT = Pattern.compile("%(\\p{XDigit}{2})");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(x\\p{XDigit}{2}|u\\p{XDigit}{4})");

    private FileNames() {}

    /** The path as a string that differs from that of any other file. */
    public static String text(Path path) {
        String text = path.toString();
        return text.indexOf(REPLACEMENT) < 0 || path(text).equals(path) ? text : escaped(path);
    }

    /** A URI has the bytes of names, where a path has replaced them already. */
    private static String escaped(Path path) {
        String[] names = path.toUri().getRawPath().split("/", 0);
        StringBuilder text = new StringBuilder();
        for (int i = names.length - path.getNameCount(); i < names.length; i++) {
            text.append(text.isEmpty() && !path.isAbsolute() ? "" : "/").append(unquoted(names[i]));
        }
        return text.toString();
    }

    private static String unquoted(String name) {
        return PERCENT.matcher(name).replaceAll(found -> {
            int value = Integer.parseInt(found.group(1), 16);
            return Matcher.quoteReplacement(value < 0x80 ? Character.toString(value) : "\\x" + found.group(1));
        });
    }

    /** The path of a string; for one that is not a path on this system, a path that shows why. */
    public static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            return Path.of(plain(text));
        }
    }

    /** The path of a string within a folder, likewise. */
    public static Path within(Path folder, String text) {
        try {
            return folder.resolve(text);
        } catch (InvalidPathException e) {
            return folder.resolve(plain(text));
        }
    }

    private static String plain(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            plain.append(c < ' ' || c > '~' ? String.format(Locale.ROOT, "\\u%04x", (int) c) : Character.toString(c));
        }
        return plain.toString();
    }

    /** Whether a path that leads to no file may stand for a name that is not valid in this encoding. */
    public static boolean isEscaped(Path path) {
        return ESCAPE.matcher(path.toString()).find();
    }
}
