package io.github.gramian.serve.protocol.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The image in a form ({@code multipart/form-data}), as {@code curl -F image=@photo.jpg} and browsers send it: the content of
 * the field {@code image}.
 */
public final class FormImage {

    private static final Pattern BOUNDARY = Pattern.compile(
            "(?i)multipart/form-data\\s*;.*?boundary=(?:\"([^\"\\r\\n]{1,200})\"|([^\\s;\"]{1,200})).*");
    private static final Pattern FIELD = Pattern.compile("(?i)[^\\r\\n]*;\\s*name=\"?image\"?\\s*(?:;[^\\r\\n]*)?");
    private static final int MAX_PARTS = 64;
    private static final int MAX_HEADER = 8192;

    private FormImage() {}

    public static boolean isForm(String contentType) {
        return contentType.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
    }

    /** The file in the field {@code image}. */
    public static byte[] in(byte[] body, String contentType) {
        Matcher type = BOUNDARY.matcher(contentType);
        if (!type.matches()) {
            throw RequestException.malformed("the form's Content-Type names no boundary");
        }
        String boundary = Optional.ofNullable(type.group(1)).orElseGet(() -> type.group(2));
        byte[] line = ("--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        byte[] next = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
        byte[] blank = "\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
        int start = indexOf(body, line, 0, body.length);
        for (int part = 0; start >= 0 && part < MAX_PARTS; part++) {
            int header = start + line.length;
            int content = indexOf(body, blank, header, Math.min(body.length, header + MAX_HEADER));
            int end = content < 0 ? -1 : indexOf(body, next, content + 2, body.length);
            if (content < 0 || end < 0) {
                break;
            }
            if (isImage(new String(body, header, content - header, StandardCharsets.ISO_8859_1))) {
                return Arrays.copyOfRange(body, Math.min(content + blank.length, end), end);
            }
            start = end + 2;
        }
        throw RequestException.malformed("the form has no complete field 'image'; send curl -F image=@photo.jpg");
    }

    private static boolean isImage(String headers) {
        return headers.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-disposition:"))
                .anyMatch(line -> FIELD.matcher(line).matches());
    }

    private static int indexOf(byte[] text, byte[] word, int from, int to) {
        for (int i = from; i <= to - word.length; i++) {
            if (text[i] == word[0] && Arrays.equals(text, i, i + word.length, word, 0, word.length)) {
                return i;
            }
        }
        return -1;
    }
}
