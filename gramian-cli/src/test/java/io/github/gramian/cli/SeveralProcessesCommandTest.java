package io.github.gramian.cli;

import static io.github.gramian.cli.CommandRun.gramian;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.check.OwnJvm;
import io.github.gramian.cli.common.Failure;
import io.github.gramian.distributed.DistributedConfig;
import io.github.gramian.model.internal.StoredModel;
import io.github.gramian.run.internal.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SeveralProcessesCommandTest {

    @TempDir
    static Path folder;

    private static DemoRun small = new DemoRun(Path.of(""), Path.of(""));

    @BeforeAll
    static void draw() {
        small = DemoRun.in(folder);
    }

    private static CommandRun train(Path out, Object... more) {
        Object[] settings = {"--set", "stage1.epochs=10", "--set", "stage1.batch=6", "--checkpoint-seconds", 0};
        Object[] all = java.util.stream.Stream.concat(java.util.Arrays.stream(settings), java.util.Arrays.stream(more))
                .toArray();
        return small.train(small.photos(), out, all);
    }

    private static String weights(Path run) throws IOException {
        try (StoredModel model = StoredModel.open(new RunFolder(run).model())) {
            return model.weightsHash();
        }
    }

    /** Kills one of the processes that this one has started, in the order of their ranks, once something is saved. */
    private static boolean kill(Path run, int rank) {
        try {
            for (int i = 0; i < 3000; i++) {
                List<ProcessHandle> started = ProcessHandle.current()
                        .children()
                        .sorted(Comparator.comparing(ProcessHandle::pid))
                        .toList();
                if (Files.exists(new RunFolder(run).last(1)) && started.size() == 2) {
                    return started.get(rank).destroyForcibly();
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    @Tag("long")
    @Test
    void two_processes_train_one_model_and_survive_the_death_of_one() throws Exception {
        Path unbroken = folder.resolve("runs/unbroken");
        CommandRun trained = train(unbroken, "--processes", 2, "--json").succeeded();
        assertThat(trained.json().path("accuracy").asDouble()).isBetween(0.0, 1.0);
        assertThat(new RunFolder(unbroken).report()).exists();

        Path killed = folder.resolve("runs/killed");
        CompletableFuture<Boolean> death = CompletableFuture.supplyAsync(() -> kill(killed, 1));
        CommandRun survived = train(killed, "--processes=2", "--restarts=2").succeeded();
        assertThat(death.get()).isTrue();
        assertThat(survived.err()).contains("process 1 ended with 137; starting all again", "(1 of 2)");
        assertThat(survived.out()).contains("test: ").doesNotContain("Gloo");
        assertThat(weights(killed)).isEqualTo(weights(unbroken));
    }

    @Test
    void without_restarts_a_lost_process_ends_the_training_with_its_own_exit_code() {
        Path run = folder.resolve("runs/once");
        CompletableFuture<Boolean> death = CompletableFuture.supplyAsync(() -> kill(run, 0));
        CommandRun lost = train(run, "--processes", 2, "--restarts", 0);
        assertThat(death.join()).isTrue();
        assertThat(lost.exitCode()).isEqualTo(Failure.PEER_LOST);
        assertThat(lost.err()).contains("process 0 ended with 137");
        assertThat(gramian("resume", run, "--quiet").succeeded().out()).contains("test: ");
    }

    @Tag("long")
    @Test
    void processes_end_with_the_one_that_started_them_however_it_ends() throws Exception {
        Path run = folder.resolve("runs/orphaned");
        List<String> command = OwnJvm.program();
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Gramian.class.getName()));
        command.addAll(List.of("train", "--images", small.photos().toString()));
        command.addAll(List.of("--backbone", small.weights().toString(), "--out", run.toString(), "--quiet"));
        command.addAll(List.of("--set", "network.branches.0.tap=res5b", "--set", "network.branches.0.size=64"));
        command.addAll(List.of("--set", "stage1.epochs=5000", "--processes", "2"));
        Process parent = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("orphaned.log").toFile())
                .start();
        List<ProcessHandle> children;
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
            while (!Files.exists(new RunFolder(run).last(1)) && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
            children = parent.children().toList();
        } finally {
            parent.destroyForcibly().waitFor();
        }
        assertThat(children).hasSize(2);
        try {
            for (ProcessHandle child : children) {
                child.onExit().get(20, TimeUnit.SECONDS);
            }
        } finally {
            children.forEach(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    void an_error_of_all_processes_is_printed_once_and_not_tried_again() {
        CommandRun refused = train(folder.resolve("runs/mixed"), "--processes", 2, "--set", "stage1.mixup=0.2");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).doesNotContain("starting all again");
    }

    @Test
    void a_process_that_no_other_joins_reports_what_to_check() throws IOException {
        CommandRun alone = train(
                folder.resolve("runs/lonely"),
                "--rank",
                0,
                "--world-size",
                2,
                "--store",
                "127.0.0.1:" + DistributedConfig.freePort(),
                "--timeout",
                1);
        alone.refused(Failure.PEER_LOST, "could not meet the others", "did all 2 processes start?");
    }

    @Test
    void incomplete_and_impossible_process_options_are_refused() {
        Path out = folder.resolve("runs/refused");
        train(out, "--rank", 0).refused(2, "--rank, --world-size and --store belong together");
        train(out, "--rank", 2, "--world-size", 2, "--store", "here:1").refused(2, "ranks count from 0");
        train(out, "--rank", 0, "--world-size", 2, "--store", "here").refused(2, "host:port");
        train(out, "--rank", 0, "--world-size", 9, "--store", "here:1")
                .refused(2, "9 processes cannot share batches of 6");
        train(out, "--processes", 0).refused(2, "at least 1");
        train(out, "--processes", 2, "--rank", 0).refused(2, "leave out --rank");
        train(out, "--processes", 2, "--restarts", -1).refused(2, "0 or more");
        assertThat(out).doesNotExist();
    }
}
