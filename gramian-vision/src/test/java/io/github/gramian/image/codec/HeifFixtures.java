package io.github.gramian.image.codec;

import io.github.gramian.check.Tool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** HEIC files for tests: boxes without pixels, made in Java, and whole files, made by heif-enc if it is installed. */
final class HeifFixtures {

    private HeifFixtures() {}

    static byte[] box(String name, byte[]... content) {
        byte[] all = Fixtures.join(content);
        return Fixtures.join(Fixtures.big(8 + all.length), name.getBytes(StandardCharsets.ISO_8859_1), all);
    }

    static byte[] ftyp(String major, String... compatible) {
        return box("ftyp", (major + "\0\0\0\0" + String.join("", compatible)).getBytes(StandardCharsets.ISO_8859_1));
    }

    static byte[] ispe(int width, int height) {
        return box("ispe", Fixtures.big(0), Fixtures.big(width), Fixtures.big(height));
    }

    static byte[] meta(byte[]... properties) {
        return box("meta", Fixtures.big(0), box("hdlr"), box("iprp", box("ipco", properties)));
    }

    /** The boxes of a file with images of these sizes, and none of their pixels. */
    static byte[] boxes(byte[]... sizes) {
        return Fixtures.join(ftyp("heic", "mif1"), meta(sizes), box("mdat"));
    }

    /** A whole file; a test that calls this needs {@link Tool#HEIF}. */
    static byte[] encoded(Path folder, RgbImage image, String... options) throws IOException {
        Path input = Files.write(folder.resolve("input.png"), Fixtures.file(image, "png"));
        return encode(folder, input, options);
    }

    static byte[] encodedJpeg(Path folder, byte[] jpeg) throws IOException {
        return encode(folder, Files.write(folder.resolve("input.jpg"), jpeg));
    }

    private static byte[] encode(Path folder, Path input, String... options) throws IOException {
        Path encoder = Tool.HEIF.program().orElseThrow();
        Path output = folder.resolve("encoded.heic");
        List<String> command = new ArrayList<>(List.of(encoder.toString(), "-q", "95"));
        command.addAll(List.of(options));
        command.addAll(List.of(input.toString(), "-o", output.toString()));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("encoder.txt").toFile())
                    .start();
            if (process.waitFor() != 0) {
                throw new IOException(Files.readString(folder.resolve("encoder.txt")));
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return Files.readAllBytes(output);
    }

    /** A file of heif-enc with a single item that asks for a rotation to the left: one more property, and all offsets moved. */
    static byte[] turned(byte[] heic, int quarterTurns) {
        byte[] irot = box("irot", new byte[] {(byte) quarterTurns});
        int property = count(heic, indexOf(heic, "ipco") + 4) + 1;
        int ipma = indexOf(heic, "ipma") - 4;
        int associations = ipma + 18;
        int added = irot.length + 1;
        byte[] end = {(byte) (0x80 | property)};
        int afterAssociations = associations + 1 + heic[associations];
        byte[] turned = Fixtures.join(
                part(heic, 0, ipma),
                irot,
                part(heic, ipma, afterAssociations),
                end,
                part(heic, afterAssociations, heic.length));
        grow(turned, indexOf(turned, "meta") - 4, added);
        grow(turned, indexOf(turned, "iprp") - 4, added);
        grow(turned, indexOf(turned, "ipco") - 4, irot.length);
        grow(turned, ipma + irot.length, 1);
        turned[associations + irot.length]++;
        grow(turned, indexOf(turned, "iloc") + 4 + 4 + 4 + 4, added); // the base offset of the only item
        return turned;
    }

    private static int count(byte[] file, int from) {
        int boxes = 0;
        int end = from - 8 + ByteBuffer.wrap(file).getInt(from - 8);
        for (int at = from; at < end; at += ByteBuffer.wrap(file).getInt(at)) {
            boxes++;
        }
        return boxes;
    }

    private static void grow(byte[] file, int at, int by) {
        ByteBuffer.wrap(file).putInt(at, ByteBuffer.wrap(file).getInt(at) + by);
    }

    private static byte[] part(byte[] file, int from, int to) {
        return Arrays.copyOfRange(file, from, to);
    }

    private static int indexOf(byte[] file, String name) {
        return new String(file, StandardCharsets.ISO_8859_1).indexOf(name);
    }
}
