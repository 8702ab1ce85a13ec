package io.github.gramian.cli.common;

import io.github.gramian.InvalidInputException;
import io.github.gramian.distributed.ProcessLostException;
import io.github.gramian.io.internal.StandardOutput;
import io.github.gramian.io.internal.StandardOutput.LostOutputException;
import io.github.gramian.io.internal.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.ExitCode;

/**
 * The error message of a failed command.
 *
 * @param line what happened and what to do; empty where the reader has gone
 * @param exitCode 2 for wrong input, {@link #PEER_LOST}, {@link StandardOutput#READER_GONE}, 1 for anything else
 */
public record Failure(String line, int exitCode) {

    /** Another process was lost: the same command, given again, continues. BSD's sysexits call it a temporary failure. */
    public static final int PEER_LOST = 75;

    /** How operating systems put it, in their own words. */
    private static final List<String> FULL =
            List.of("no space left on device", "disk quota exceeded", "not enough space on the disk");

    public static Failure of(Throwable thrown) {
        Throwable cause = unwrapped(thrown);
        if (causes(cause).anyMatch(Failure::lacksDescriptors)) {
            return new Failure(
                    "this process may not open as many files as it needs; raise the limit, for example with: ulimit -n"
                            + " 1024",
                    ExitCode.SOFTWARE);
        }
        if (cause instanceof LostOutputException lost) {
            return lost.readerGone()
                    ? new Failure("", StandardOutput.READER_GONE)
                    : new Failure(explained(lost), ExitCode.SOFTWARE);
        }
        if (cause instanceof Error error) {
            return new Failure(explained(error), ExitCode.SOFTWARE);
        }
        if (cause instanceof ProcessLostException lost) {
            return new Failure(explained(lost), PEER_LOST);
        }
        boolean wrongInput = isWrongInput(cause);
        // Errors of the engine contain long traces; their first line describes the error.
        String line =
                wrongInput ? explained(cause).replaceAll("\\s*[\\r\\n]+\\s*", " ") : Text.firstLine(explained(cause));
        return new Failure(Text.message(line), wrongInput ? ExitCode.USAGE : ExitCode.SOFTWARE);
    }

    /** The cause, without exceptions that wrap it. */
    private static Throwable unwrapped(Throwable thrown) {
        Throwable cause = thrown.getCause();
        boolean wrapped = thrown instanceof ExecutionException
                || thrown instanceof ExceptionInInitializerError
                || (thrown instanceof UncheckedIOException
                        && String.valueOf(cause).equals(thrown.getMessage()));
        return wrapped && cause != null ? unwrapped(cause) : thrown;
    }

    /** Messages for errors of the JVM itself. */
    private static String explained(Error error) {
        String message = Text.firstLine(String.valueOf(error.getMessage()));
        if (error instanceof OutOfMemoryError) {
            return "Java does not have enough memory (" + message
                    + "); give it more, for example with GRAMIAN_JAVA_OPTS=-Xmx8g, or use smaller batches (--batch)";
        }
        if (error instanceof NoClassDefFoundError && message.startsWith("org/bytedeco/pytorch/")) {
            return "this needs LibTorch, which this installation does not have: without it, ONNX files are predicted,"
                    + " described, evaluated and shown; install the whole distribution for the rest";
        }
        if (error instanceof LinkageError && causes(error).anyMatch(Failure::cannotBeExecuted)) {
            return "the engine's libraries were unpacked to a directory whose files must not be executed (a disk mounted"
                    + " noexec); name one on another disk: GRAMIAN_JAVA_OPTS=-Dorg.bytedeco.javacpp.cachedir=DIRECTORY";
        }
        if (error instanceof LinkageError) {
            return "a part of the program cannot be loaded (" + message
                    + "); install the distribution for this system (" + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch") + ") again";
        }
        return error.getClass().getSimpleName() + " (" + message + "); run again with --debug and report it";
    }

    private static Stream<Throwable> causes(Throwable thrown) {
        return Stream.iterate(thrown, Objects::nonNull, Throwable::getCause);
    }

    /** How Linux puts it. */
    private static boolean cannotBeExecuted(Throwable cause) {
        return String.valueOf(cause.getMessage()).contains("failed to map segment from shared object");
    }

    private static boolean lacksDescriptors(Throwable cause) {
        return String.valueOf(cause.getMessage()).contains("Too many open files");
    }

    /** Whether the caller can fix it: exceptions of Gramian, of its records (wrong arguments) and of the JDK. */
    private static boolean isWrongInput(Throwable failure) {
        return failure instanceof InvalidInputException
                || failure instanceof IllegalArgumentException
                || failure instanceof NoSuchFileException;
    }

    private static String explained(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof InvalidPathException name) {
            return "'" + name.getInput()
                    + "' cannot be the name of a file on this system; rename the file, or start with"
                    + " LC_ALL=C.UTF-8";
        }
        if (message == null) {
            return failure.getClass().getSimpleName() + "; run again with --debug and report it";
        }
        if (failure instanceof IOException && !isWrongInput(failure) && isFull(message)) {
            String where = failure instanceof FileSystemException place && place.getFile() != null
                    ? place.getFile() + ": "
                    : "";
            return where + "the disk is full; free some space, or choose a directory on another disk";
        }
        return failure instanceof FileSystemException place && place.getFile() != null ? explained(place) : message;
    }

    private static String explained(FileSystemException failure) {
        String file = failure.getFile();
        if (failure instanceof NoSuchFileException) {
            return file + " does not exist; check the path";
        }
        if (failure instanceof AccessDeniedException) {
            return file + ": permission denied; change its permissions, or choose another file or directory";
        }
        if (failure instanceof FileAlreadyExistsException
                || failure instanceof NotDirectoryException
                || "Not a directory".equals(failure.getReason())) {
            return file + ": a file is in the way where a directory should be; choose another path";
        }
        return failure.getReason() == null ? file + " cannot be used" : file + ": " + failure.getReason();
    }

    private static boolean isFull(String message) {
        String lower = message.toLowerCase(Locale.ROOT);
        return FULL.stream().anyMatch(lower::contains);
    }
}
