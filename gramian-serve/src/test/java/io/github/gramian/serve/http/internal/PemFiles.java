package io.github.gramian.serve.http.internal;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;

/** Creates certificates with the JDK's keytool. */
record PemFiles(Path certificates, Path key, KeyStore trusted) {

    /** A certificate for 127.0.0.1. */
    static PemFiles make(Path folder, String name, String algorithm) throws Exception {
        return make(folder, name, algorithm, "ip:127.0.0.1");
    }

    /** @param names subject alternative names as keytool writes them, such as {@code dns:localhost} */
    static PemFiles make(Path folder, String name, String algorithm, String names) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        "secret",
                        "-storetype",
                        "PKCS12",
                        "-keyalg",
                        algorithm,
                        "-alias",
                        name,
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=" + names)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool").toFile())
                .start();
        if (keytool.waitFor() != 0) {
            throw new AssertionError(Files.readString(folder.resolve("keytool")));
        }
        KeyStore made = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            made.load(in, "secret".toCharArray());
        }
        Key key = made.getKey(name, "secret".toCharArray());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry(name, made.getCertificate(name));
        return new PemFiles(
                Files.writeString(
                        folder.resolve(name + ".crt"),
                        pem("CERTIFICATE", made.getCertificate(name).getEncoded())),
                Files.writeString(folder.resolve(name + ".key"), pem("PRIVATE KEY", key.getEncoded())),
                trusted);
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + kind
                + "-----\n";
    }
}
