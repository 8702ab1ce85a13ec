package io.github.gramian.backbone.weights.internal;

import io.github.gramian.backbone.weights.WeightsException;
import io.github.gramian.io.internal.AtomicFile;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Fetches one file from an address that the user gave. The download is written next to the target until it is complete, so
 * that an interrupted transfer continues where it stopped. It gets the target's name only if its SHA-256 is the expected
 * one. If the server sends nothing for a while, before its response or within it, the download fails.
 */
public final class WeightsDownload {

    /** Without a byte. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private WeightsDownload() {}

    /**
     * What to fetch.
     *
     * @param maxBytes the largest size that is accepted
     */
    public record Request(URI address, String sha256, Path target, long maxBytes) {

        public Request {
            String scheme =
                    address.getScheme() == null ? "" : address.getScheme().toLowerCase(Locale.ROOT);
            if (!scheme.equals("http") && !scheme.equals("https")) {
                throw new IllegalArgumentException("the address must begin with http:// or https:// but is " + address);
            }
            sha256 = sha256.toLowerCase(Locale.ROOT);
            if (!sha256.matches("[0-9a-f]{64}")) {
                throw new IllegalArgumentException(
                        "the sha256 must be 64 hexadecimal digits; copy it from the page that"
                                + " publishes the weights");
            }
        }

        /** Belongs only to this content, so that the rest of another download is never continued. */
        Path part() {
            return target.resolveSibling("." + target.getFileName() + "." + sha256.substring(0, 12) + ".part");
        }
    }

    /** Receives the progress of the transfer. */
    @FunctionalInterface
    public interface Progress {
        /** Bytes so far, and bytes in all or −1 if the server does not report them. */
        void at(long done, long total);
    }

    /** Fetches, verifies and publishes; does nothing if the target exists already with the expected hash. */
    public static void fetch(Request request, Progress progress) throws IOException, InterruptedException {
        fetch(request, progress, PATIENCE);
    }

    static void fetch(Request request, Progress progress, Duration patience) throws IOException, InterruptedException {
        if (Files.exists(request.target()) && SourceHash.of(request.target()).equals(request.sha256())) {
            return;
        }
        Path part = request.part();
        AtomicFile.makeFolder(Objects.requireNonNull(part.toAbsolutePath().getParent()));
        transfer(request, part, progress, patience);
        String found = SourceHash.of(part);
        if (!found.equals(request.sha256())) {
            Files.delete(part);
            throw new WeightsException("the file from " + request.address() + " has sha256 " + found + " instead of "
                    + request.sha256() + "; it was deleted: check the address and the sha256");
        }
        AtomicFile.publish(part, request.target());
    }

    private static void transfer(Request request, Path part, Progress progress, Duration patience)
            throws IOException, InterruptedException {
        long have = Files.exists(part) ? Files.size(part) : 0;
        HttpRequest.Builder asked =
                HttpRequest.newBuilder(request.address()).timeout(patience).GET();
        if (have > 0) {
            asked.header("Range", "bytes=" + have + "-");
        }
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(patience)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .build();
        HttpResponse<InputStream> answer = send(client, asked.build(), request);
        try (InputStream in = new WatchedInput(answer.body(), patience)) {
            switch (answer.statusCode()) {
                case 200 -> receive(in, request, part, 0, length(answer), progress);
                case 206 -> {
                    String range = answer.headers().firstValue("Content-Range").orElse("");
                    if (!range.startsWith("bytes " + have + "-")) {
                        throw new WeightsException("the server sent another part (" + range + ") than requested;"
                                + " delete " + part + " and try again");
                    }
                    receive(in, request, part, have, length(answer), progress);
                }
                case 416 -> {
                    // Nothing is left to fetch; the checksum decides whether that is true.
                    if (have == 0) {
                        throw unexpected(answer, request);
                    }
                }
                default -> throw unexpected(answer, request);
            }
        }
    }

    private static WeightsException unexpected(HttpResponse<InputStream> answer, Request request) {
        return new WeightsException(
                request.address() + " answers with status " + answer.statusCode() + "; check the address");
    }

    private static HttpResponse<InputStream> send(HttpClient client, HttpRequest asked, Request request)
            throws IOException, InterruptedException {
        try {
            return client.send(asked, HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new WeightsException(
                    request.address() + " cannot be reached ("
                            + e.getClass().getSimpleName()
                            + "); check the address and the network, then run the command again",
                    e);
        }
    }

    private static long length(HttpResponse<InputStream> answer) {
        return answer.headers().firstValueAsLong("Content-Length").orElse(-1);
    }

    private static void receive(InputStream in, Request request, Path part, long have, long coming, Progress progress)
            throws IOException {
        if (coming > request.maxBytes() - have) {
            throw tooLarge(request);
        }
        long done = have;
        try (OutputStream out =
                have > 0 ? Files.newOutputStream(part, StandardOpenOption.APPEND) : Files.newOutputStream(part)) {
            byte[] buffer = new byte[1 << 16];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                done += read;
                if (done > request.maxBytes()) {
                    throw tooLarge(request);
                }
                out.write(buffer, 0, read);
                progress.at(done, coming < 0 ? -1 : have + coming);
            }
        } catch (WeightsException e) {
            throw e;
        } catch (IOException e) {
            String how = e instanceof HttpTimeoutException ? " stalled after " : " broke off after ";
            throw new WeightsException(
                    "the transfer" + how + done + " bytes; run the command again, it continues from there", e);
        }
    }

    private static WeightsException tooLarge(Request request) {
        return new WeightsException(request.address() + " gives more than " + request.maxBytes()
                + " bytes, which is more than expected; check the address");
    }

    /**
     * The body of an HTTP response that is given up when nothing arrives for a while: the JDK's client limits the time until
     * the headers only. Closing the body from another thread ends a read that waits.
     */
    static final class WatchedInput extends FilterInputStream {

        private final Duration patience;
        private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "gramian-download");
            thread.setDaemon(true);
            return thread;
        });
        private volatile boolean stalled;

        WatchedInput(InputStream body, Duration patience) {
            super(body);
            this.patience = patience;
            // Otherwise every read would leave its alarm in the queue until it is due, many thousands of a fast
            // transfer.
            clock.setRemoveOnCancelPolicy(true);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            int count = read(one, 0, 1);
            return count < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            ScheduledFuture<?> end = clock.schedule(this::giveUp, patience.toMillis(), TimeUnit.MILLISECONDS);
            try {
                return in.read(buffer, offset, length);
            } catch (IOException failure) {
                if (stalled) {
                    HttpTimeoutException late =
                            new HttpTimeoutException("nothing arrived for " + patience.toSeconds() + " s");
                    late.initCause(failure);
                    throw late;
                }
                throw failure;
            } finally {
                end.cancel(false);
            }
        }

        private void giveUp() {
            stalled = true;
            try {
                in.close();
            } catch (IOException e) {
                // the reading thread is notified by its own exception
            }
        }

        @Override
        public void close() throws IOException {
            clock.shutdownNow();
            super.close();
        }
    }
}
