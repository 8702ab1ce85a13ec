package io.github.gramian.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.gramian.io.internal.GramianVersion;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The jars of other modules as Maven packs them. From {@code package} on they stand on the class path of these tests; where
 * only folders of classes do ({@code mvn test}), nothing is packed that could contain a version.
 */
class PackagedVersionTest {

    private static final Pattern OWN = Pattern.compile("gramian-\\w+-\\d.*(?<!-tests)\\.jar");

    private static List<Path> jars() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(path -> OWN.matcher(String.valueOf(path.getFileName())).matches())
                .toList();
    }

    private static String versionOfTheBuild() throws IOException {
        Matcher version =
                Pattern.compile("<version>(.*?)</version>").matcher(Files.readString(Path.of("..", "pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    @Test
    void every_jar_and_what_reads_it_have_the_version_of_the_build() throws IOException {
        for (Path jar : jars()) {
            try (JarFile file = new JarFile(jar.toFile())) {
                assertThat(file.getManifest().getMainAttributes())
                        .as(jar.toString())
                        .containsEntry(Attributes.Name.IMPLEMENTATION_VERSION, versionOfTheBuild());
            }
        }
        boolean packed = jars().stream().anyMatch(jar -> jar.toString().contains("gramian-core"));
        assertThat(GramianVersion.text()).isEqualTo(packed ? versionOfTheBuild() : GramianVersion.UNPACKAGED);
    }
}
