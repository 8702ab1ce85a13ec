package io.github.gramian.run.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.gramian.check.OwnJvm;
import io.github.gramian.run.RunInUseException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunLockTest {

    @TempDir
    private Path home;

    private RunFolder folder() {
        return new RunFolder(home.resolve("runs/first"));
    }

    /** Holds the lock of a folder until it is killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            try (RunLock lock = RunLock.take(new RunFolder(Path.of(arguments[0])))) {
                System.out.println("held");
                Thread.sleep(600_000);
            }
        }
    }

    private Process holder() throws IOException {
        Process process = OwnJvm.of(Holder.class, folder().path())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("held");
        }
        return process;
    }

    @Test
    void a_second_training_is_refused_with_the_owner_of_the_folder() throws Exception {
        Process holder = holder();
        try {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> RunLock.take(folder()))
                        .isInstanceOf(RunInUseException.class)
                        .hasMessageContainingAll(
                                folder().path().toString(), "process " + holder.pid() + " on ", " since 2", "another");
            }
        } finally {
            holder.destroyForcibly().waitFor();
        }
        RunLock.take(folder()).close();
    }

    @Test
    void two_trainings_of_one_process_cannot_have_it_either() throws IOException {
        try (RunLock lock = RunLock.take(folder())) {
            assertThatThrownBy(() -> RunLock.take(folder()))
                    .isInstanceOf(RunInUseException.class)
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
        }
        RunLock.take(folder()).close();
    }

    @Test
    void a_folder_in_which_nothing_began_is_left_as_it_was() throws IOException {
        RunLock.take(folder()).close();
        assertThat(folder().path()).doesNotExist();
        Files.createDirectories(folder().path());
        Path other = Files.writeString(folder().path().resolve("notes"), "mine");
        RunLock.take(folder()).close();
        assertThat(folder().path()).isDirectoryContaining(other::equals);
        assertThat(folder().lock()).doesNotExist();
    }
}
