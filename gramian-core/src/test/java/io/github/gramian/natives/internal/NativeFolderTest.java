package io.github.gramian.natives.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.gramian.tensor.internal.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.bytedeco.javacpp.Loader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS) // which has no such modes
class NativeFolderTest {

    @TempDir
    private Path folder;

    private Path library = Path.of("");

    @TempDir
    private Path machine;

    private final Properties properties = new Properties();
    private final List<String> warnings = new ArrayList<>();

    @BeforeEach
    void a_machine() throws IOException {
        machine = machine.toRealPath();
        Path temporary = Files.createDirectory(machine.resolve("tmp"));
        Files.setAttribute(temporary, "unix:mode", 01777);
        Files.createDirectory(machine.resolve("home"));
        properties.setProperty("user.home", machine.resolve("home").toString());
        properties.setProperty("user.name", "somebody");
        properties.setProperty("java.io.tmpdir", temporary.toString());
    }

    private Path chosen() throws IOException {
        return new Natives.NativeFolder(properties, Map.of(), warnings::add).choose();
    }

    private static Set<PosixFilePermission> mode(String text) {
        return PosixFilePermissions.fromString(text);
    }

    @Test
    void it_is_a_private_folder_of_the_user_and_does_not_change() throws IOException {
        Path folder = chosen();
        assertThat(folder).isEqualTo(machine.resolve("home/.cache/gramian/natives"));
        assertThat(Files.getPosixFilePermissions(folder)).isEqualTo(mode("rwx------"));
        assertThat(chosen()).isEqualTo(folder);
        assertThat(folder).isEmptyDirectory();
        assertThat(warnings).isEmpty();
    }

    @Test
    void the_engine_of_this_process_lies_in_such_a_folder() throws IOException {
        Path folder = Path.of(Engine.describe().nativeCache());
        assertThat(folder).isEqualTo(Loader.getCacheDir().toPath());
        PrivateFolder.requirePrivate(folder);
    }

    @Test
    void the_setting_of_the_system_is_followed() throws IOException {
        Path cache = machine.resolve("elsewhere");
        assertThat(new Natives.NativeFolder(properties, Map.of("XDG_CACHE_HOME", cache.toString()), warnings::add)
                        .choose())
                .isEqualTo(cache.resolve("gramian/natives"));
    }

    private Path chosenWithHome(Path home) throws IOException {
        return new Natives.NativeFolder(properties, Map.of("HOME", home.toString()), warnings::add).choose();
    }

    @Test
    void the_home_of_the_environment_comes_before_that_of_the_list_of_users() throws IOException {
        Path home = Files.createDirectory(machine.resolve("of-the-container"));
        assertThat(chosenWithHome(home)).isEqualTo(home.resolve(".cache/gramian/natives"));
        properties.setProperty("user.home", "?");
        assertThat(chosenWithHome(home)).isEqualTo(home.resolve(".cache/gramian/natives"));
        assertThat(warnings).isEmpty();
    }

    @Test
    void a_home_that_is_missing_or_relative_is_not_used() throws IOException {
        Path fromTheList = machine.resolve("home/.cache/gramian/natives");
        assertThat(chosenWithHome(machine.resolve("missing"))).isEqualTo(fromTheList);
        assertThat(chosenWithHome(Path.of(""))).isEqualTo(fromTheList);
        assertThat(chosenWithHome(Path.of("relative"))).isEqualTo(fromTheList);
        assertThat(machine.resolve("missing")).doesNotExist();
        assertThat(Path.of("relative")).doesNotExist();
    }

    @Test
    void a_home_that_belongs_to_another_user_is_left_alone() throws IOException {
        assumeThat(Files.getAttribute(machine, "unix:uid"))
                .as("only root can give directories away")
                .isEqualTo(0);
        Path home = Files.createDirectory(machine.resolve("of-another"));
        Files.setAttribute(home, "unix:uid", 12345);
        assertThat(chosenWithHome(home)).isEqualTo(machine.resolve("home/.cache/gramian/natives"));
        assertThat(home).isEmptyDirectory();
    }

    @Test
    void a_user_without_a_home_gets_a_private_folder_and_never_the_current_one() throws IOException {
        properties.setProperty("user.home", "?");
        properties.setProperty("user.name", "?");
        Path folder = chosen();
        assertThat(folder).isEqualTo(machine.resolve("tmp/gramian-natives-_"));
        assertThat(Files.getPosixFilePermissions(folder)).isEqualTo(mode("rwx------"));
        assertThat(chosen()).isEqualTo(folder);
        assertThat(warnings).isEmpty();
        assertThat(Path.of("?")).doesNotExist();
    }

    @Test
    void a_folder_that_others_may_enter_is_skipped_with_a_message() throws IOException {
        Path open = Files.createDirectories(machine.resolve("home/.cache/gramian/natives"));
        Files.setPosixFilePermissions(open, mode("rwxrwxrwx"));
        assertThat(chosen()).isEqualTo(machine.resolve("tmp/gramian-natives-somebody"));
        assertThat(warnings).singleElement().asString().contains(open.toString(), Natives.NativeFolder.SETTING);
    }

    @Test
    void a_parent_folder_that_others_may_write_to_is_skipped() throws IOException {
        chosen();
        Files.setPosixFilePermissions(machine.resolve("home/.cache"), mode("rwxrwxrwx"));
        assertThat(chosen()).isEqualTo(machine.resolve("tmp/gramian-natives-somebody"));
        assertThat(warnings).singleElement().asString().contains("another user may write to");
    }

    @Test
    void a_folder_that_lies_ready_in_the_temporary_one_is_not_entered() throws IOException {
        properties.setProperty("user.home", "?");
        Path planted = Files.createDirectory(machine.resolve("tmp/gramian-natives-somebody"));
        Files.setPosixFilePermissions(planted, mode("rwxr-xr-x"));
        Path folder = chosen();
        assertThat(folder).isNotEqualTo(planted).hasParent(machine.resolve("tmp"));
        assertThat(Files.getPosixFilePermissions(folder)).isEqualTo(mode("rwx------"));
        assertThat(warnings).singleElement().asString().contains(planted.toString());
    }

    @Test
    void a_link_to_a_folder_is_not_followed() throws IOException {
        properties.setProperty("user.home", "?");
        Path target = Files.createDirectory(
                machine.resolve("target"), PosixFilePermissions.asFileAttribute(mode("rwx------")));
        Files.createSymbolicLink(machine.resolve("tmp/gramian-natives-somebody"), target);
        assertThat(chosen().toString()).doesNotContain("somebody").doesNotContain("target");
    }

    @Test
    void a_folder_of_another_user_is_skipped_even_if_it_is_closed_to_all_others() throws IOException {
        assumeThat(Files.getAttribute(machine, "unix:uid"))
                .as("only root can give folders away")
                .isEqualTo(0);
        properties.setProperty("user.home", "?");
        Path planted = Files.createDirectory(
                machine.resolve("tmp/gramian-natives-somebody"),
                PosixFilePermissions.asFileAttribute(mode("rwx------")));
        Files.setAttribute(planted, "unix:uid", 12345, LinkOption.NOFOLLOW_LINKS);
        assertThat(chosen()).isNotEqualTo(planted);
        assertThat(warnings).singleElement().asString().contains("belongs to another user");
    }

    @Test
    void what_a_user_names_is_taken_or_refused() throws IOException {
        Path named = Files.createDirectory(machine.resolve("named"));
        properties.setProperty(Natives.NativeFolder.SETTING, named.toString());
        assertThat(chosen()).isEqualTo(named.resolve("gramian-natives"));
        Files.setPosixFilePermissions(named, mode("rwxrwxrwx"));
        assertThatThrownBy(this::chosen).hasMessageContaining(named.toString()).hasMessageContaining("only you");
    }

    @BeforeEach
    void unpack_and_note() throws IOException {
        library = Files.createDirectories(folder.resolve("linux")).resolve("lib with space.so");
        Files.writeString(library, "code");
        assertThat(new Natives.UnpackedFiles(folder, 7).complete()).isFalse();
        new Natives.UnpackedFiles(folder, 7).note();
        assertThat(new Natives.UnpackedFiles(folder, 7).complete()).isTrue();
    }

    @Test
    void noting_it_again_changes_nothing() throws IOException {
        new Natives.UnpackedFiles(folder, 7).note();
        assertThat(new Natives.UnpackedFiles(folder, 7).complete()).isTrue();
    }

    @Test
    void a_lost_file_is_noticed() throws IOException {
        Files.delete(library);
        assertThat(new Natives.UnpackedFiles(folder, 7).complete()).isFalse();
    }

    @Test
    void a_file_that_was_cut_off_is_noticed() throws IOException {
        Files.writeString(library, "cod");
        assertThat(new Natives.UnpackedFiles(folder, 7).complete()).isFalse();
    }

    @Test
    void another_jar_of_the_same_name_is_noticed() {
        assertThat(new Natives.UnpackedFiles(folder, 8).complete()).isFalse();
    }

    @Test
    void a_damaged_list_counts_as_none() throws IOException {
        for (String content : new String[] {"", "7\n", "7\nsomething\n", "7\nx y\n", "\0"}) {
            Files.writeString(folder.resolve("gramian-unpacked.txt"), content);
            assertThat(new Natives.UnpackedFiles(folder, 7).complete())
                    .as(content)
                    .isFalse();
        }
    }
}
