package io.github.gramian.image.codec;

import io.github.gramian.image.codec.Codec.Refusal;
import io.github.gramian.io.internal.AtomicFile;
import io.github.gramian.io.internal.Text;
import io.github.gramian.natives.internal.UserCache;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An installed program of libheif that converts HEIC and AVIF files, run as a child process: with a fixed argument list and
 * no shell, in a temporary directory that only this user can enter, without the parent's environment, and for a limited
 * time. If {@code prlimit} is installed, it also limits memory, CPU time and the size of the output.
 */
final class HeifConverter {

    /** The newer name first. */
    private static final List<String> PROGRAMS = List.of("heif-dec", "heif-convert");

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Libraries, threads and buffers that do not depend on the image. */
    private static final long BASE_MEMORY = 1L << 30;

    /** Planes of the decoded image, of tiles, and of its conversion to RGB. */
    private static final long MEMORY_PER_PIXEL = 24;

    private static final long BASE_OUTPUT = 1L << 20;
    private static final long OUTPUT_PER_PIXEL = 4;
    private static final int MAX_MESSAGE = 200;

    private final Path program;
    private final Optional<Path> prlimit;
    private final Duration timeout;

    /** Each child takes memory outside the heap, however many threads decode. */
    private final Semaphore children = new Semaphore(Runtime.getRuntime().availableProcessors());

    HeifConverter(Path program, Optional<Path> prlimit, Duration timeout) {
        this.program = program;
        this.prlimit = prlimit;
        this.timeout = timeout;
    }

    /** The one on the PATH; empty if none is installed. */
    static Optional<HeifConverter> installed() {
        String path = System.getenv().getOrDefault("PATH", "");
        return PROGRAMS.stream()
                .flatMap(name -> find(path, name).stream())
                .findFirst()
                .map(program -> new HeifConverter(program, find(path, "prlimit"), TIMEOUT));
    }

    /** A program in an absolute directory of a search path; the current directory never counts. */
    static Optional<Path> find(String path, String name) {
        return Stream.of(path.split(File.pathSeparator, -1))
                .map(File::new)
                .filter(File::isAbsolute)
                .map(directory -> new File(directory, name))
                .filter(file -> file.isFile() && file.canExecute())
                .findFirst()
                .map(File::toPath);
    }

    /**
     * Converts a file's content.
     *
     * @param pixels of its largest image, which limit the memory and the output
     */
    byte[] jpeg(byte[] file, long pixels) throws Refusal {
        try {
            children.acquire();
            try {
                return converted(file, pixels);
            } finally {
                children.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("it was interrupted");
        } catch (IOException | UncheckedIOException failure) {
            throw failed(String.valueOf(failure.getMessage()));
        }
    }

    private byte[] converted(byte[] file, long pixels) throws IOException, InterruptedException, Refusal {
        // Java makes temporary directories accessible to their owner only.
        Path directory = Files.createTempDirectory("gramian-heif");
        try {
            Path input = Files.write(directory.resolve("input.heic"), file);
            Path output = directory.resolve("output.jpg");
            Path messages = directory.resolve("messages.txt");
            run(directory, command(input, output, pixels), messages);
            // A file of several images becomes several files with numbers.
            Path first = Files.exists(output) ? output : directory.resolve("output-1.jpg");
            if (!Files.exists(first)) {
                throw failed(start(messages));
            }
            return bounded(first, maxOutput(pixels));
        } finally {
            remove(directory);
        }
    }

    private List<String> command(Path input, Path output, long pixels) {
        List<String> command = new ArrayList<>();
        prlimit.ifPresent(limiter -> command.addAll(List.of(
                limiter.toString(),
                "--as=" + (BASE_MEMORY + MEMORY_PER_PIXEL * pixels),
                "--cpu=" + timeout.toSeconds() * Runtime.getRuntime().availableProcessors(),
                "--fsize=" + maxOutput(pixels),
                "--core=0")));
        command.addAll(List.of(program.toString(), "-q", "100", input.toString(), output.toString()));
        return command;
    }

    private static long maxOutput(long pixels) {
        return BASE_OUTPUT + OUTPUT_PER_PIXEL * pixels;
    }

    private void run(Path directory, List<String> command, Path messages)
            throws IOException, InterruptedException, Refusal {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(
                        directory.resolve("input.heic").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(messages.toFile());
        builder.environment().clear();
        // Without this, glibc reserves 64 MB of address space per thread, which counts against the limit.
        builder.environment().putAll(Map.of("LC_ALL", "C", "MALLOC_ARENA_MAX", "2"));
        Process child = builder.start();
        try {
            if (!child.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw failed("it took more than " + timeout.toSeconds() + " s");
            }
            if (child.exitValue() != 0) {
                throw failed(start(messages));
            }
        } finally {
            child.descendants().forEach(ProcessHandle::destroyForcibly);
            child.destroyForcibly().waitFor();
        }
    }

    /** The machine may be the reason, so the rejection is not cached. */
    private Refusal failed(String reason) {
        return new Refusal(
                Rejection.UNREADABLE, program.getFileName() + " failed" + (reason.isBlank() ? "" : ": " + reason));
    }

    /** The first line that the program has written, in printable characters. */
    private static String start(Path messages) throws IOException {
        try (InputStream in = Files.newInputStream(messages)) {
            String text = new String(in.readNBytes(MAX_MESSAGE), StandardCharsets.US_ASCII);
            return Text.firstLine(text).replaceAll("[^ -~]", "?");
        }
    }

    private static byte[] bounded(Path file, long maxBytes) throws IOException, Refusal {
        long bytes = Files.size(file);
        if (bytes > maxBytes || bytes > Integer.MAX_VALUE - 8) {
            throw Refusal.corrupt("conversion gave " + bytes + " bytes");
        }
        return Files.readAllBytes(file);
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /**
     * Converted images in a directory, each named by the SHA-256 of the original file. If they take more than the capacity, the
     * ones that were not used for the longest time are deleted. A cache that cannot be written only costs time.
     */
    static final class Cache {

        /** 4 GiB: about 500 photographs of 12 megapixels. */
        private static final long CAPACITY = 4L << 30;

        private static final String ENDING = ".jpg";

        private final Optional<Path> directory;
        private final long capacity;

        private Cache(Optional<Path> directory, long capacity) {
            this.directory = directory;
            this.capacity = capacity;
        }

        /** Stores nothing. */
        static Cache none() {
            return new Cache(Optional.empty(), 0);
        }

        static Cache in(Path directory, long capacity) {
            return new Cache(Optional.of(directory), capacity);
        }

        /** In the user's cache directory, such as {@code ~/.cache/gramian/heif}; stores nothing for a user without a home. */
        static Cache ofUser() {
            return UserCache.current()
                    .gramian()
                    .map(cache -> in(cache.resolve("heif"), CAPACITY))
                    .orElseGet(Cache::none);
        }

        Optional<byte[]> get(String key) {
            if (directory.isEmpty()) {
                return Optional.empty();
            }
            Path file = directory.get().resolve(key + ENDING);
            try {
                if (!Files.isRegularFile(file) || Files.size(file) > capacity) {
                    return Optional.empty();
                }
                byte[] content = Files.readAllBytes(file);
                Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
                return Optional.of(content);
            } catch (IOException e) {
                return Optional.empty();
            }
        }

        void put(String key, byte[] content) {
            if (directory.isEmpty() || content.length > capacity) {
                return;
            }
            try {
                makePrivate(directory.get());
                AtomicFile.writeBytes(directory.get().resolve(key + ENDING), ByteBuffer.wrap(content));
                trim(directory.get());
            } catch (IOException | UncheckedIOException e) {
                // The image is converted again the next time.
            }
        }

        /** Photographs are nobody else's business. */
        private static void makePrivate(Path folder) throws IOException {
            Path parent = folder.toAbsolutePath().getParent();
            if (Files.isDirectory(folder) || parent == null) {
                return;
            }
            AtomicFile.makeFolder(parent);
            if (Files.getFileStore(parent).supportsFileAttributeView(PosixFileAttributeView.class)) {
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } else {
                Files.createDirectory(folder);
            }
        }

        private record Stored(Path file, long bytes, FileTime used) {

            static Stored of(Path file) {
                try {
                    return new Stored(file, Files.size(file), Files.getLastModifiedTime(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        private void trim(Path folder) throws IOException {
            List<Stored> newestFirst;
            try (Stream<Path> files = Files.list(folder)) {
                newestFirst = files.filter(file -> file.toString().endsWith(ENDING))
                        .map(Stored::of)
                        .sorted(Comparator.comparing(Stored::used).reversed())
                        .toList();
            }
            long total = 0;
            for (Stored stored : newestFirst) {
                total += stored.bytes;
                if (total > capacity) {
                    Files.deleteIfExists(stored.file);
                }
            }
        }
    }
}
