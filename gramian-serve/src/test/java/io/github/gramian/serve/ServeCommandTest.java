package io.github.gramian.serve;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.OwnJvm;
import io.github.gramian.cli.CommandRun;
import io.github.gramian.cli.Gramian;
import io.github.gramian.cli.HelpRules;
import io.github.gramian.fixture.SmallModels;
import io.github.gramian.serve.ServeCommand.LineFile;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(180)
class ServeCommandTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void check_prints_what_it_would_do_and_ends() throws Exception {
        Path config = Files.writeString(
                folder.resolve("serve.yaml"),
                "models: ['fabrics=" + SmallModels.first() + "']\nport: 0\nbatch: {size: 4}\npage: false\n");
        CommandRun run = gramian("serve", "--config", config, "--check").succeeded();
        assertThat(run.out())
                .contains("fabrics:1: " + SmallModels.first())
                .contains("3 classes", "batches up to 4", "listens at 127.0.0.1:0, not encrypted, no keys")
                .doesNotContain("anyone");
        assertThat(gramian("serve", "--config", config, "--host", "0.0.0.0", "--check")
                        .succeeded()
                        .out())
                .contains("anyone who can reach this port");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ports: 80                    | serve.yaml:1:1: there is no setting 'ports'; there are accessLog, allowLoad
            batch: {size: 4, sise: 3}    | serve.yaml:1:18: there is no setting 'batch.sise'; there are delayMillis, queue, size
            port: many                   | serve.yaml:1:1: 'port' has a value that does not fit; it must be a whole number
            port: "8080"                 | 'port' has a value that does not fit; it must be a whole number
            port: 0x1p3                  | 'port' has a value that does not fit; it must be a whole number
            port: 99999999999            | 'port' has a value that does not fit; it must be a smaller number
            page: maybe                  | 'page' has a value that does not fit; it must be true or false
            host: [a]                    | 'host' has a value that does not fit; it must be a string
            batch: 3                     | 'batch' has a value that does not fit; it must be a block of settings
            hosts: a                     | 'hosts' has a value that does not fit; it must be a list in brackets
            port: 1                      | there is no model to serve
            port: 70000                  | port must lie in 0..65535
            batch: {size: 0}             | batch.size must lie in 1..4096
            limits: {bodyBytes: 3}       | limits.bodyBytes must lie in
            deadlineMillis: 0            | deadlineMillis must lie in
            tls: {key: a.pem}            | TLS needs both files
            tls: {}                      | TLS needs both files
            models: ['a b/']             | gives no name for addresses; name the model
            models: ['m=no-such-file']   | no-such-file
            models: [m=a, ~]             | an entry of models is empty; write path
            apiKeys: no-such-keys        | no-such-keys does not exist
            port: [1                     | serve.yaml
            """)
    void settings_that_are_wrong_are_refused_with_their_place(String text, String message) throws Exception {
        Path config = Files.writeString(folder.resolve("serve.yaml"), text + "\n");
        boolean needsModel = !text.startsWith("models") && !text.equals("port: 1");
        CommandRun run = needsModel
                ? gramian("serve", "--config", config, "--check", "m=" + SmallModels.first())
                : gramian("serve", "--config", config, "--check");
        run.refused(2, message);
    }

    @Test
    void a_port_in_use_is_reported() throws Exception {
        try (ServerSocket other = new ServerSocket(0)) {
            gramian("serve", SmallModels.first(), "--port", other.getLocalPort(), "--host", "0.0.0.0")
                    .refused(2, "cannot listen at 0.0.0.0:" + other.getLocalPort(), "--port");
        }
    }

    @Test
    void two_models_of_one_name_are_refused() {
        gramian("serve", "a=" + SmallModels.first(), "a=" + SmallModels.second(), "--check")
                .refused(2, "two models are called a:1", "name:2=path");
    }

    @Test
    void lines_of_the_log_have_a_time() {
        LogRecord record = new LogRecord(Level.WARNING, "the old keys remain in use");
        record.setInstant(Instant.parse("2026-01-31T10:20:30.456789Z"));
        assertThat(new ServeCommand.TimedLine().format(record))
                .isEqualTo("2026-01-31T10:20:30.456Z gramian: the old keys remain in use" + System.lineSeparator());
        record.setThrown(new IllegalStateException("a bug"));
        assertThat(new ServeCommand.TimedLine().format(record))
                .contains("java.lang.IllegalStateException: a bug", "at ");
    }

    @Test
    void on_sigterm_it_answers_all_accepted_requests_and_exits_with_0() throws Exception {
        Path log = folder.resolve("access.jsonl");
        Process process = OwnJvm.of(
                        Gramian.class,
                        "serve",
                        "textures=" + SmallModels.first(),
                        "--port",
                        0,
                        "--drain",
                        1,
                        "--access-log",
                        log)
                .redirectError(folder.resolve("err").toFile())
                .start();
        try (BufferedReader out = process.inputReader()) {
            URI address = URI.create(ready(out).replaceAll("ready at (\\S+) .*", "$1") + "/predict");
            List<Integer> statuses = new CopyOnWriteArrayList<>();
            List<IOException> failures = new CopyOnWriteArrayList<>();
            List<Thread> clients = new ArrayList<>();
            for (int c = 0; c < 6; c++) {
                Thread client = new Thread(() -> ask(address, statuses, failures));
                clients.add(client);
                client.start();
            }
            while (statuses.size() < 20) {
                Thread.sleep(5);
            }
            process.toHandle().destroy(); // SIGTERM
            assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
            for (Thread client : clients) {
                client.join();
            }
            assertThat(process.exitValue())
                    .as(Files.readString(folder.resolve("err")))
                    .isZero();
            assertThat(statuses).allMatch(status -> status == 200);
            // Every accepted request is answered; later connections are rejected.
            assertThat(failures).hasSize(6);
            assertThat(Files.readAllLines(log)).hasSameSizeAs(statuses);
        } finally {
            process.destroyForcibly();
        }
    }

    private static String ready(BufferedReader out) throws IOException {
        String line = out.readLine();
        while (line != null && !line.startsWith("ready at ")) {
            line = out.readLine();
        }
        assertThat(line).isNotNull();
        return String.valueOf(line);
    }

    private static void ask(URI address, List<Integer> statuses, List<IOException> failures) {
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        try {
            while (true) {
                HttpRequest request = HttpRequest.newBuilder(address)
                        .POST(BodyPublishers.ofByteArray(SmallModels.image(statuses.size() % 36)))
                        .build();
                statuses.add(http.send(request, BodyHandlers.discarding()).statusCode());
            }
        } catch (IOException e) {
            failures.add(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @TestFactory
    Stream<DynamicTest> summaries_fit_on_a_line_and_options_are_phrases_with_their_defaults() {
        return HelpRules.tests();
    }

    @Test
    void a_limit_on_open_files_below_the_connections_is_reported_with_what_to_do() {
        assertThat(ServeCommand.tooFewFiles(512, 1024)).isEmpty();
        assertThat(ServeCommand.tooFewFiles(512, 600))
                .hasValueSatisfying(text ->
                        assertThat(text).contains("only 600 files", "limits.connections is 512", "ulimit -n to 768"));
    }

    @Test
    void this_machine_reports_its_limit() {
        assertThat(ServeCommand.tooFewFiles(Integer.MAX_VALUE - 1000)).isPresent();
    }

    /** A disk that can be full. */
    private static final class Disk extends OutputStream {
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private boolean full;

        @Override
        public void write(int one) throws IOException {
            if (full) {
                throw new IOException("No space left on device");
            }
            written.write(one);
        }
    }

    @Test
    void a_log_that_cannot_be_written_is_reported_once_and_again_when_it_can() {
        Disk disk = new Disk();
        List<String> reports = new ArrayList<>();
        LineFile log = new LineFile("access.jsonl", disk, reports::add);
        log.accept("one");
        assertThat(reports).isEmpty();
        disk.full = true;
        log.accept("two");
        log.accept("three");
        assertThat(reports)
                .singleElement()
                .asString()
                .contains("cannot be written to access.jsonl (No space left on device)", "requests are answered");
        disk.full = false;
        log.accept("four");
        assertThat(reports).hasSize(2).last().asString().endsWith("again; lines that were lost: 2");
        log.close();
        assertThat(disk.written.toString(StandardCharsets.UTF_8)).isEqualTo("one\n\nfour\n");
        assertThat(reports).hasSize(2);
    }

    @Test
    void a_standard_output_without_a_reader_is_reported() {
        PrintWriter closed = new PrintWriter(Writer.nullWriter());
        closed.close();
        List<String> reports = new ArrayList<>();
        LineFile log = new LineFile("standard output", LineFile.printed(closed), reports::add);
        log.accept("one");
        log.accept("two");
        assertThat(reports)
                .singleElement()
                .asString()
                .contains("cannot be written to standard output (the other side does not read it");
    }
}
