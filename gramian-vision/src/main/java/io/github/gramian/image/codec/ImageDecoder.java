package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Cancellation;
import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.io.internal.FileNames;
import io.github.gramian.io.internal.Sha256;
import io.github.gramian.io.internal.Text;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongBinaryOperator;

/**
 * Decodes untrusted image files to upright RGB: JPEG, PNG, WebP, BMP, TIFF, GIF (first frame), recognised by content.
 *
 * <p>Whatever the file holds, the result is a {@link Decoded}: the header is read by our own code and checked against the
 * limits before a decoder allocates anything, and what a decoder throws becomes a {@link Decoded.Rejected}. Colour
 * profiles are not applied and alpha is dropped, as Pillow's {@code convert("RGB")} does. Safe for use by many threads.
 */
public final class ImageDecoder {

    /**
     * By how much a JPEG may be reduced while it is decoded, which takes a fraction of the time: libjpeg leaves out the
     * frequencies that resizing would remove anyway. As Pillow's {@code draft} with a reducing gap of 2.
     */
    @FunctionalInterface
    public interface Reduction {

        /** Every pixel. */
        Reduction NONE = (width, height) -> 1;

        /** Minimum ratio of the decoded to the wanted size. At twice the size, the resizing filter determines the result. */
        int GAP = 2;

        /** 1, 2, 4 or 8 for an upright image of this size; it becomes ⌈width/r⌉ × ⌈height/r⌉. */
        int of(int width, int height);

        /** The largest that leaves at least {@value #GAP} times the wanted size. */
        static int leaving(int width, int height, int wantedWidth, int wantedHeight) {
            int reduction = 8;
            while (reduction > 1
                    && (width < (long) GAP * reduction * wantedWidth
                            || height < (long) GAP * reduction * wantedHeight)) {
                reduction /= 2;
            }
            return reduction;
        }
    }

    /**
     * Part of the key of everything cached that was computed from pixels; raised whenever any pixel of any decoded
     * image may change.
     */
    public static final String VERSION = "gramian-image-3/leptonica-1.87.0/twelvemonkeys-3.14.0";

    /** Enough for the metadata and the preview that cameras put before the size. */
    private static final int MAX_HEADER_BYTES = 1 << 18;

    private final ImageLimits limits;
    private final Cancellation cancellation;
    private final HeifCodec heif;

    /** For any files, such as uploads. HEIC and AVIF files are rejected, since other programs must decode them. */
    public ImageDecoder(ImageLimits limits) {
        this(limits, HeifCodec.rejecting(), Cancellation.NEVER);
    }

    ImageDecoder(ImageLimits limits, HeifCodec heif) {
        this(limits, heif, Cancellation.NEVER);
    }

    private ImageDecoder(ImageLimits limits, HeifCodec heif, Cancellation cancellation) {
        this.limits = limits;
        this.heif = heif;
        this.cancellation = cancellation;
    }

    /**
     * For the user's own files, under the default limits. If {@code heif-dec} or {@code heif-convert} is on the PATH, it reads
     * HEIC and AVIF files as a child process with limits on time, memory and pixels.
     */
    public static ImageDecoder forLocalFiles() {
        return new ImageDecoder(ImageLimits.DEFAULT, HeifCodec.installed());
    }

    /**
     * The same decoder, which stops early with {@link Rejection#CANCELLED} once this becomes true. Native decoders check
     * it only before they start, so bound their {@link #work} first.
     *
     * @param cancelled called often and by the thread that decodes
     */
    public ImageDecoder cancelledBy(BooleanSupplier cancelled) {
        return new ImageDecoder(limits, heif, new Cancellation(cancelled));
    }

    /**
     * Estimates the work of decoding a file's content, in pixel passes: the number of pixels, times what the format costs
     * per pixel, times the scans of a progressive JPEG. One pixel pass takes about 3 ns on one core. The estimate is 0 if
     * {@link #decode} rejects the file by its header.
     */
    public long work(byte[] content) {
        return work(content, (width, height) -> 0);
    }

    /**
     * The same with the work that follows the decoding.
     *
     * @param more work in addition, for an image of this width and height; it may throw to refuse the image
     */
    public long work(byte[] content, LongBinaryOperator more) {
        try {
            Optional<ImageFormat> format = ImageFormat.of(content);
            if (format.isEmpty() || content.length > limits.maxBytes()) {
                return 0;
            }
            Codec codec = codec(format.get());
            Codec.Size size = codec.size(content);
            limits.checkSize(size.width(), size.height());
            return size.width() * size.height() * codec.passes(content) + more.applyAsLong(size.width(), size.height());
        } catch (Refusal e) {
            return 0;
        }
    }

    /** Decodes a file. Links are followed; only regular files are opened. */
    public Decoded decode(Path file) {
        return decode(file, Reduction.NONE);
    }

    /** The same, reduced where that is possible. */
    public Decoded decode(Path file, Reduction reduction) {
        return open(file).apply(reduction);
    }

    /** Reads a file once, to decode it for several reductions; a file that cannot be read is rejected for each. */
    public Function<Reduction, Decoded> open(Path file) {
        try {
            byte[] content = read(file);
            return reduction -> decode(content, reduction);
        } catch (Refusal e) {
            return reduction -> e.asValue();
        }
    }

    /**
     * Reads a file once if its content has this SHA-256 (in lower-case hexadecimal): what is decoded is what was hashed
     * before, however often files are replaced meanwhile.
     */
    public Function<Reduction, Decoded> open(Path file, String sha256) {
        try {
            byte[] content = read(file);
            if (!Sha256.of(content).equals(sha256)) {
                throw new Refusal(Rejection.CHANGED, "");
            }
            return reduction -> decode(content, reduction);
        } catch (Refusal e) {
            return reduction -> e.asValue();
        }
    }

    /**
     * The longer side of an image over the shorter one, from the start of the file alone; empty if that does not contain the
     * size. Nothing is decoded.
     */
    public OptionalDouble aspect(Path file) {
        if (!Files.isRegularFile(file)) {
            return OptionalDouble.empty();
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] start = in.readNBytes(MAX_HEADER_BYTES);
            Optional<ImageFormat> format = ImageFormat.of(start);
            if (format.isEmpty()) {
                return OptionalDouble.empty();
            }
            Codec.Size size = format.get().codec().size(start);
            limits.checkSize(size.width(), size.height());
            return OptionalDouble.of((double) Math.max(size.width(), size.height())
                    / Math.max(1, Math.min(size.width(), size.height())));
        } catch (IOException | Refusal e) {
            return OptionalDouble.empty();
        }
    }

    /** Decodes a file's content. */
    public Decoded decode(byte[] content) {
        return decode(content, Reduction.NONE);
    }

    /** The same, reduced where that is possible. */
    public Decoded decode(byte[] content, Reduction reduction) {
        try {
            if (content.length == 0) {
                throw new Refusal(Rejection.EMPTY, "");
            }
            limits.checkBytes(content.length);
            ImageFormat format = ImageFormat.of(content)
                    .orElseThrow(() -> new Refusal(Rejection.UNKNOWN_FORMAT, firstBytes(content)));
            return decodeAs(format, content, reduction);
        } catch (Refusal e) {
            return e.asValue();
        }
    }

    private Codec codec(ImageFormat format) {
        return format == ImageFormat.HEIF ? heif : format.codec();
    }

    private Decoded decodeAs(ImageFormat format, byte[] content, Reduction reduction) throws Refusal {
        Codec codec = codec(format);
        Codec.Size size = codec.size(content);
        limits.checkSize(size.width(), size.height());
        cancellation.check();
        try {
            return new Decoded.Picture(codec.decode(content, reduction, cancellation), format);
        } catch (EOFException e) {
            throw Refusal.truncated("the " + format + " reader needs more bytes");
        } catch (IOException | RuntimeException e) {
            cancellation.check(); // a reader that was stopped fails in its own way
            throw isEnd(e)
                    ? Refusal.truncated("the " + format + " reader needs more bytes")
                    : Refusal.corrupt("the " + format + " reader reports: " + Text.firstLine(e));
        } catch (StackOverflowError e) {
            throw Refusal.corrupt("the " + format + " reader did not end");
        } catch (OutOfMemoryError e) {
            // The memory of this image is free again, so the run continues with the next.
            throw new Refusal(Rejection.OUT_OF_MEMORY, size.width() + "×" + size.height() + " pixels");
        }
    }

    /** The bytes of a regular file, never more than the limit even if it grows meanwhile. */
    private byte[] read(Path file) throws Refusal {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (attributes.isDirectory() && !Files.isReadable(file)) {
                throw new Refusal(Rejection.UNREADABLE, "a directory; check its permissions");
            }
            if (!attributes.isRegularFile()) {
                throw new Refusal(Rejection.NOT_A_FILE, attributes.isDirectory() ? "a directory" : "a device or pipe");
            }
            limits.checkBytes(attributes.size());
            try (InputStream in = Files.newInputStream(file)) {
                byte[] content = in.readNBytes((int) limits.maxBytes());
                if (in.read() >= 0) {
                    limits.checkBytes(limits.maxBytes() + 1);
                }
                return content;
            }
        } catch (IOException e) {
            throw asRefusal(file, e);
        } catch (OutOfMemoryError e) {
            throw new Refusal(Rejection.OUT_OF_MEMORY, "while reading the file");
        }
    }

    private static Refusal asRefusal(Path file, IOException unreadable) {
        if (Files.isSymbolicLink(file) && !(unreadable instanceof AccessDeniedException)) {
            return new Refusal(Rejection.BROKEN_LINK, "");
        }
        if (unreadable instanceof NoSuchFileException) {
            return FileNames.isEscaped(file)
                    ? new Refusal(Rejection.UNNAMEABLE, "rename it, or start with LC_ALL=C.UTF-8")
                    : new Refusal(Rejection.MISSING, "");
        }
        return new Refusal(
                Rejection.UNREADABLE,
                unreadable instanceof AccessDeniedException ? "permission denied" : Text.firstLine(unreadable));
    }

    private static boolean isEnd(Throwable broken) {
        for (Throwable cause = broken.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof EOFException) {
                return true;
            }
        }
        return false;
    }

    private static String firstBytes(byte[] content) {
        StringBuilder hex = new StringBuilder("it starts with");
        for (int i = 0; i < Math.min(content.length, 8); i++) {
            hex.append(String.format(Locale.ROOT, " %02x", content[i]));
        }
        return hex.toString();
    }
}
