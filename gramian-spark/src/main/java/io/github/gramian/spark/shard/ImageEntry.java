package io.github.gramian.spark.shard;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One image of a shard, not decoded yet.
 *
 * @param name inside the shard
 * @param content its bytes; empty if it was refused
 * @param refused why its bytes were not read, such as their number; null if they were
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, not stored
public record ImageEntry(
        String name, byte[] content, @Nullable String refused) {

    /** File extensions of images, the same as for datasets. The decoder checks the actual content. */
    static final Set<String> ENDINGS = Set.of(
            "jpg", "jpeg", "jpe", "jfif", "png", "webp", "bmp", "tif", "tiff", "gif", "heic", "heif", "hif", "avif");

    /** Whether a name, with the folders before it, is an image's; hidden files are not. */
    public static boolean isImage(String name) {
        String last = name.substring(name.lastIndexOf('/') + 1);
        int dot = last.lastIndexOf('.');
        return dot > 0
                && !last.startsWith(".")
                && ENDINGS.contains(last.substring(dot + 1).toLowerCase(Locale.ROOT));
    }

    /** An image whose bytes were read. */
    public static ImageEntry of(String name, byte[] content) {
        return new ImageEntry(name, content, null);
    }

    /** An image that was skipped. */
    public static ImageEntry refused(String name, String why) {
        return new ImageEntry(name, new byte[0], why);
    }

    /** An image whose bytes are more than allowed. */
    static ImageEntry tooLong(String name, long bytes, long most) {
        return refused(name, bytes + " bytes are more than " + most);
    }
}
