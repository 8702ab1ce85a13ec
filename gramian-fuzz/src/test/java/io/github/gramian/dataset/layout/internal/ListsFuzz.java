package io.github.gramian.dataset.layout.internal;

import io.github.gramian.dataset.DatasetException;
import io.github.gramian.dataset.layout.internal.BenchmarkLayouts.Cub;
import io.github.gramian.dataset.layout.internal.OwnLayouts.Manifest;
import io.github.gramian.fuzz.FuzzTarget;
import io.github.gramian.fuzz.Scratch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Lists of images and labels. */
public final class ListsFuzz {

    private static final List<String> CUB =
            List.of("images.txt", "image_class_labels.txt", "train_test_split.txt", "classes.txt");

    private ListsFuzz() {}

    public static List<FuzzTarget> targets() {
        Scratch scratch = new Scratch();
        return List.of(
                FuzzTarget.of(
                        "csv",
                        () -> List.of(
                                utf8("path,label,split\na/1.jpg,cat,train\n\"b,2.jpg\",\"a \"\"dog\"\"\",test\n"),
                                utf8("\uFEFFpath,label\r\na/1.jpg,7\r\nb/2.jpg,07\r\n")),
                        bytes -> new Manifest().list(scratch.file("manifest.csv", bytes)),
                        DatasetException.class),
                FuzzTarget.of(
                        "labels-csv",
                        () -> List.of(
                                utf8("path,label,group,when,by\n"
                                        + "a/1.jpg,cat,,2026-11-18T12:00:00Z,ada\n"
                                        + "\"b,2.jpg\",\"a \"\"dog\"\"\",g,2026-11-18T12:00:01.5Z,ada\n"
                                        + "c.jpg,cat,,,ada\na/1.jpg,,,,ada\n"),
                                utf8("\uFEFFpath,label,group,when,by\r\na/1.jpg,7,,,\r\nb/2.jpg,0")),
                        bytes -> new Manifest().list(scratch.file("labels.csv", bytes)),
                        DatasetException.class),
                FuzzTarget.of(
                        "labels",
                        () -> List.of(
                                utf8("1 001.a/x.jpg\n2 002.b/y.jpg\n\f1 1\n2 2\n\f1 1\n2 0\n\f1 001.a\n2 002.b\n")),
                        bytes -> readCub(scratch, bytes),
                        DatasetException.class));
    }

    /** Four lists, divided by form feeds. */
    private static void readCub(Scratch scratch, byte[] bytes) throws IOException {
        int from = 0;
        for (String name : CUB) {
            int to = from;
            while (to < bytes.length && bytes[to] != '\f') {
                to++;
            }
            scratch.file(name, Arrays.copyOfRange(bytes, Math.min(from, bytes.length), to));
            from = Math.min(to + 1, bytes.length);
        }
        new Cub().list(scratch.folder());
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
