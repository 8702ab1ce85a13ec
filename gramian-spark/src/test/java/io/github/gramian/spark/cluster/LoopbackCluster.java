package io.github.gramian.spark.cluster;

import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.spark.Main;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A real standalone cluster of Spark on this machine: a master, workers with one core each, and applications, all processes of
 * their own, started from the jars of the test's class path. Nothing listens outside of this machine.
 */
final class LoopbackCluster implements AutoCloseable {

    private static final String LOCAL = "127.0.0.1";
    /** For JVMs that end soon: compiles without optimising. */
    static final String QUICK = "-XX:TieredStopAtLevel=1";

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Path home;
    private final String master;
    private final List<Process> daemons = new ArrayList<>();
    private final List<Process> applications = new ArrayList<>();

    private LoopbackCluster(Path home, String master) {
        this.home = home;
        this.master = master;
    }

    /** Starts a master and workers; returns when the workers are known to the master. */
    static LoopbackCluster start(Path home, int workers) throws IOException, InterruptedException {
        Path jars = Files.createDirectories(home.resolve("jars"));
        for (String entry : classPath()) {
            Path file = Path.of(entry);
            if (Files.isRegularFile(file)) {
                Files.createSymbolicLink(jars.resolve(file.getFileName()), file);
            }
        }
        int port = DistributedConfig.freePort();
        LoopbackCluster cluster = new LoopbackCluster(home, "spark://" + LOCAL + ":" + port);
        try {
            cluster.daemon(
                    "master",
                    "org.apache.spark.deploy.master.Master",
                    "--host",
                    LOCAL,
                    "--port",
                    "" + port,
                    "--webui-port",
                    "0");
            for (int i = 0; i < workers; i++) {
                cluster.daemon(
                        "worker-" + i,
                        "org.apache.spark.deploy.worker.Worker",
                        "--host",
                        LOCAL,
                        "--cores",
                        "1",
                        "--memory",
                        "3g",
                        "--webui-port",
                        "0",
                        "--work-dir",
                        home.resolve("work-" + i).toString(),
                        cluster.master);
            }
            for (int i = 0; i < workers; i++) {
                Path log = home.resolve("worker-" + i + ".log");
                await("worker " + i, () -> text(log).contains("Successfully registered"));
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException | Error failure) {
            cluster.close();
            throw failure;
        }
    }

    /** Starts our application, as spark-submit does, with these settings of Spark in addition to our own. */
    Process submit(String log, Map<String, String> more, String... words) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--master", master, "--class", Main.class.getName()));
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("spark.driver.host", LOCAL);
        settings.put("spark.driver.bindAddress", LOCAL);
        settings.put("spark.ui.enabled", "false");
        settings.put("spark.executor.memory", "1g");
        settings.put("spark.executor.cores", "1");
        settings.put("spark.executor.extraClassPath", String.join(File.pathSeparator, folders()));
        settings.putAll(more);
        settings.forEach((name, value) -> arguments.addAll(List.of("--conf", name + "=" + value)));
        arguments.add("spark-internal"); // our classes are on the class path already
        arguments.addAll(Arrays.asList(words));
        Process application = start(log, "1g", "org.apache.spark.deploy.SparkSubmit", arguments);
        applications.add(application);
        return application;
    }

    /** The executors that run now. */
    List<ProcessHandle> executors() {
        return daemons.stream()
                .flatMap(daemon -> daemon.toHandle().descendants())
                .filter(child -> child.info()
                        .commandLine()
                        .filter(line -> line.contains("CoarseGrainedExecutorBackend"))
                        .isPresent())
                .toList();
    }

    String log(String name) {
        return text(home.resolve(name + ".log"));
    }

    /** How many executors were ever started. */
    long executorsStarted() throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> file.endsWith("stderr")).count();
        }
    }

    static void await(String what, BooleanSupplier happened) throws InterruptedException {
        Instant end = Instant.now().plus(PATIENCE);
        while (!happened.getAsBoolean()) {
            if (Instant.now().isAfter(end)) {
                throw new AssertionError("waited for " + what + " in vain");
            }
            Thread.sleep(20);
        }
    }

    @Override
    public void close() throws InterruptedException {
        List<ProcessHandle> all = Stream.concat(applications.stream(), daemons.stream())
                .flatMap(process -> Stream.concat(process.descendants(), Stream.of(process.toHandle())))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        for (Process process : daemons) {
            process.waitFor(20, TimeUnit.SECONDS);
        }
        daemons.clear();
        applications.clear();
    }

    private void daemon(String name, String mainClass, String... arguments) throws IOException {
        daemons.add(start(name, "256m", mainClass, List.of(arguments)));
    }

    private Process start(String log, String heap, String mainClass, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(List.of("-Xmx" + heap, QUICK));
        command.add("-Dgramian.test.log=info");
        command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath()), mainClass));
        command.addAll(arguments);
        File file = home.resolve(log + ".log").toFile();
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(file);
        builder.environment().put("SPARK_HOME", home.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", LOCAL);
        builder.environment().remove("SPARK_CONF_DIR");
        builder.environment().remove("OPENBLAS_NUM_THREADS"); // users do not set it either
        return builder.start();
    }

    static List<String> classPath() {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(all.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty() && Files.exists(Path.of(entry)))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .toList();
    }

    /** Classes that are not in a jar yet. */
    private static List<String> folders() {
        return classPath().stream()
                .filter(entry -> Files.isDirectory(Path.of(entry)))
                .toList();
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
