package io.github.gramian.serve.tls.internal;

import io.github.gramian.serve.model.internal.FileStamp;
import java.io.IOException;
import java.security.KeyStore;
import java.util.List;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** The certificate that is in use, and that of a later reading of its files. */
public final class Tls {

    private final TlsFiles files;
    private final SslContextFactory.Server factory = new SslContextFactory.Server();
    private List<FileStamp> stamps;

    public Tls(TlsFiles files) throws IOException {
        this.files = files;
        this.stamps = files.stamps();
        set(factory, files.keyStore());
    }

    private static void set(SslContextFactory factory, KeyStore store) {
        factory.setKeyStore(store);
        factory.setKeyStorePassword(TlsFiles.PASSWORD);
    }

    public SslContextFactory.Server factory() {
        return factory;
    }

    /** Reads the files again if they have changed; connections that are open keep the certificate they have. */
    public boolean refresh() throws IOException {
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
}
