package io.github.gramian.backbone.weights.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes files as torch.save does, byte by byte, and also as it never would. */
public final class TorchFiles {

    /** A pickle under construction. */
    public static final class Program {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        public Program() {
            op(0x80, 2);
        }

        public Program op(int... values) {
            for (int value : values) {
                bytes.write(value);
            }
            return this;
        }

        public Program string(String value) {
            byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
            op('X').number(utf8.length);
            bytes.writeBytes(utf8);
            return this;
        }

        public Program integer(int value) {
            return op('J').number(value);
        }

        public Program global(String module, String name) {
            bytes.writeBytes(("c" + module + "\n" + name + "\n").getBytes(StandardCharsets.UTF_8));
            return this;
        }

        public Program number(int value) {
            bytes.writeBytes(ByteBuffer.allocate(4)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(value)
                    .array());
            return this;
        }

        public Program sizes(List<Integer> values) {
            op('(');
            values.forEach(this::integer);
            return op('t');
        }

        /** A float tensor on a storage. */
        public Program tensor(
                String key, int numel, int offset, List<Integer> sizes, List<Integer> strides, boolean legacy) {
            global("torch._utils", "_rebuild_tensor_v2").op('(', '(');
            string("storage")
                    .global("torch", "FloatStorage")
                    .string(key)
                    .string("cpu")
                    .integer(numel);
            if (legacy) {
                op('N');
            }
            op('t', 'Q').integer(offset).sizes(sizes).sizes(strides).op(0x89);
            return global("collections", "OrderedDict").op(')', 'R', 't', 'R');
        }

        public byte[] stop() {
            op('.');
            return bytes.toByteArray();
        }
    }

    private TorchFiles() {}

    /** {w: [2, 3] from 1, t: its transpose by strides} on one storage of eight values, as an OrderedDict with a state. */
    public static byte[] stateDict(boolean legacy) {
        return new Program()
                .global("collections", "OrderedDict")
                .op(')', 'R', 'q', 0, '(')
                .string("w")
                .tensor("0", 8, 1, List.of(2, 3), List.of(3, 1), legacy)
                .string("t")
                .tensor("0", 8, 1, List.of(3, 2), List.of(1, 3), legacy)
                .op('u', '}')
                .string("_metadata")
                .op('}', 's', 'b')
                .stop();
    }

    /** The numbers 0, 1, 2, … as floats. */
    public static byte[] floats(int count) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int index = 0; index < count; index++) {
            bytes.putFloat(index);
        }
        return bytes.array();
    }

    public static Path zip(Path file, int method, Map<String, byte[]> entries) throws IOException {
        try (OutputStream out = Files.newOutputStream(file);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            // In the order of their names, so that a file is the same in every JVM: the pickle, then its values.
            for (Map.Entry<String, byte[]> entry : new TreeMap<>(entries).entrySet()) {
                ZipEntry header = new ZipEntry(entry.getKey());
                header.setMethod(method);
                header.setSize(entry.getValue().length);
                CRC32 crc = new CRC32();
                crc.update(entry.getValue());
                header.setCrc(crc.getValue());
                zip.putNextEntry(header);
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        }
        return file;
    }

    public static Path zip(Path file, byte[] pickle, int storageValues) throws IOException {
        return zip(file, ZipEntry.STORED, Map.of("net/data.pkl", pickle, "net/data/0", floats(storageValues)));
    }

    /** The legacy form: magic, protocol, machine, object, keys, and each storage with its count. */
    public static Path legacy(Path file, byte[] object, List<String> keys, long count, byte[] values)
            throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(new Program()
                .op(0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19)
                .stop());
        all.writeBytes(new Program().op('M', 0xe9, 0x03).stop());
        all.writeBytes(
                new Program().op('}').string("little_endian").op(0x88, 's').stop());
        all.writeBytes(object);
        Program list = new Program().op(']', '(');
        keys.forEach(list::string);
        all.writeBytes(list.op('e').stop());
        all.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(count)
                .array());
        all.writeBytes(values);
        return Files.write(file, all.toByteArray());
    }
}
