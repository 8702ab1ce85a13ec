package io.github.gramian.serve.http.internal;

import io.github.gramian.serve.inference.internal.FileStamp;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** The certificate that is in use, and that of a later reading of its files. */
public final class Tls {

    /** Of the key store in memory; it protects nothing, since the key lies in a file next to it. */
    private static final String PASSWORD = "in memory";

    private final TlsFiles files;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private List<FileStamp> stamps;

    Tls(TlsFiles files) throws IOException {
        this.files = files;
        this.stamps = files.stamps();
        set(factory, files.keyStore());
    }

    private static void set(SslContextFactory factory, KeyStore store) {
        factory.setKeyStore(store);
        factory.setKeyStorePassword(PASSWORD);
    }

    SslContextFactory.Server factory() {
        return factory;
    }

    /** Reads the files again if they have changed; connections that are open keep the certificate they have. */
    boolean refresh() throws IOException {
        List<FileStamp> now = files.stamps();
        if (now.equals(stamps)) {
            return false;
        }
        // One of the two may have been written before the other: what does not fit is tried again when that changes.
        stamps = now;
        KeyStore store = files.keyStore();
        try {
            factory.reload(changed -> set(changed, store));
        } catch (Exception e) {
            throw new IOException(e.getMessage(), e);
        }
        return true;
    }

    /**
     * A certificate chain and its key, each in a PEM file.
     *
     * @param certificates the server's own first
     * @param key PKCS#8, not encrypted
     */
    public record TlsFiles(Path certificates, Path key) {

        private static final long MAX_BYTES = 1 << 20;

        private static final Pattern KEY =
                Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

        /** Both files as they are now. */
        List<FileStamp> stamps() {
            return List.of(FileStamp.of(certificates), FileStamp.of(key));
        }

        /** Both as a key store in memory. */
        public KeyStore keyStore() throws IOException {
            for (Path file : List.of(certificates, key)) {
                var unused = FileStamp.readable(file, MAX_BYTES);
            }
            try {
                Certificate[] chain = CertificateFactory.getInstance("X.509")
                        .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(certificates)))
                        .toArray(Certificate[]::new);
                if (chain.length == 0) {
                    throw new IllegalArgumentException(certificates + " holds no certificate; it must be a PEM file");
                }
                PrivateKey secret = privateKey();
                if (!belongs(secret, chain[0].getPublicKey())) {
                    throw new IllegalArgumentException(
                            "the key in " + key + " does not belong to the first certificate in " + certificates);
                }
                KeyStore store = KeyStore.getInstance("PKCS12");
                store.load(null, null);
                store.setKeyEntry("server", secret, PASSWORD.toCharArray(), chain);
                return store;
            } catch (GeneralSecurityException e) {
                throw new IllegalArgumentException(
                        certificates + " and " + key + " cannot be used for TLS: " + e.getMessage(), e);
            }
        }

        private PrivateKey privateKey() throws IOException, GeneralSecurityException {
            Matcher found = KEY.matcher(Files.readString(key, StandardCharsets.ISO_8859_1));
            if (!found.find()) {
                throw new IllegalArgumentException(
                        key + " holds no PKCS#8 key without a password; make one with: openssl pkcs8"
                                + " -topk8 -nocrypt -in " + key + " -out server.key");
            }
            PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(decoded(found.group(1)));
            for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
                try {
                    return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
                } catch (InvalidKeySpecException e) {
                    // The next may fit.
                }
            }
            throw new IllegalArgumentException(key + " is not a key for RSA, elliptic curves or EdDSA");
        }

        private byte[] decoded(String base64) {
            try {
                return Base64.getMimeDecoder().decode(base64);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(key + " is damaged: its key is not base64; copy it again", e);
            }
        }

        private static boolean belongs(PrivateKey secret, PublicKey open) throws GeneralSecurityException {
            String algorithm = switch (secret.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> "EdDSA";
            };
            if (!secret.getAlgorithm().equals(open.getAlgorithm())) {
                return false;
            }
            byte[] text = "bytes to sign".getBytes(StandardCharsets.UTF_8);
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(secret);
            signer.update(text);
            byte[] signature = signer.sign();
            signer.initVerify(open);
            signer.update(text);
            return signer.verify(signature);
        }
    }
}
