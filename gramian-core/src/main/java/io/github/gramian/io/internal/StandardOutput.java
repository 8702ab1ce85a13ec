package io.github.gramian.io.internal;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that reports write errors. {@code System.out} ignores them. Here the first one is
 * thrown to the caller, so that long work stops, and is stored for the end of the process in case the caller catches it.
 */
public final class StandardOutput {

    /** The exit code that shells expect of a process whose reader has gone: 128 plus the number of SIGPIPE. */
    public static final int READER_GONE = 141;

    /** The link by which Linux reports what standard output is. */
    private static final Path SELF = Path.of("/proc/self/fd/1");

    private final PrintWriter raw;
    private final PrintWriter writer;
    private volatile @Nullable LostOutputException lost;

    /** That of this process. */
    public StandardOutput() {
        Charset charset = charset();
        OutputStream out = new Checked(new FileOutputStream(FileDescriptor.out));
        Writer buffer = new BufferedWriter(new OutputStreamWriter(out, charset));
        this.raw = new PrintWriter(buffer, true);
        this.writer = new TerminalWriter(buffer, charset);
    }

    private static Charset charset() {
        return Stream.of("stdout.encoding", "sun.stdout.encoding")
                .map(key -> System.getProperty(key, ""))
                .filter(name -> !name.isEmpty())
                .findFirst()
                .map(Charset::forName)
                .orElseGet(Charset::defaultCharset);
    }

    /** Prints; a line at a time goes out. Any thread may use it. Throws {@link LostOutputException}. */
    public PrintWriter writer() {
        return writer;
    }

    /** The same for trusted text only, which may have colours. */
    public PrintWriter raw() {
        return raw;
    }

    /** Flushes, and returns whether everything that was printed has arrived. */
    public Optional<LostOutputException> end() {
        try {
            writer.flush();
        } catch (LostOutputException e) {
            return Optional.of(e);
        }
        return Optional.ofNullable(lost);
    }

    /** A writer forgets checked exceptions; these are not. */
    private final class Checked extends OutputStream {

        private final OutputStream out;

        Checked(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int single) {
            write(new byte[] {(byte) single}, 0, 1);
        }

        /** Nothing follows what was lost: a file that is cut off is noticed sooner than one with a hole. */
        @Override
        public void write(byte[] bytes, int from, int count) {
            LostOutputException before = lost;
            if (before != null) {
                throw before;
            }
            try {
                out.write(bytes, from, count);
            } catch (IOException failure) {
                LostOutputException now = new LostOutputException(failure, isReaderGone(failure));
                lost = now;
                throw now;
            }
        }
    }

    /** The system's message is in the user's language. On Linux a pipe is known by its name, and it never fails otherwise. */
    private static boolean isReaderGone(IOException failure) {
        String words = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        return words.contains("broken pipe") || words.contains("pipe is being closed") || isPipe();
    }

    private static boolean isPipe() {
        try {
            String target = Files.readSymbolicLink(SELF).toString();
            return target.startsWith("pipe:") || target.startsWith("socket:");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /** Output could not be written. */
    public static final class LostOutputException extends UncheckedIOException {

        private static final long serialVersionUID = 1L;

        private final boolean readerGone;

        /** @param readerGone whether it went to a pipe that nobody reads any more */
        LostOutputException(IOException cause, boolean readerGone) {
            super(
                    "standard output cannot be written (" + cause.getMessage()
                            + "): what was printed is incomplete; free some"
                            + " space or choose another place, and run again",
                    cause);
            this.readerGone = readerGone;
        }

        /** Whether the reader has gone, as with {@code | head}: then no error is printed. */
        public boolean readerGone() {
            return readerGone;
        }
    }
}
