package io.psf.runtime.internal.transport.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate of this node, which it presents to every peer: a peer of another authority then refuses it by name,
 * where the JDK's manager would present none.
 */
final class OneKey extends X509ExtendedKeyManager {
    private static final String ALIAS = "psf";

    private final X509Certificate[] chain;
    private final PrivateKey key;

    OneKey(X509Certificate[] chain, PrivateKey key) {
        this.chain = chain.clone();
        this.key = key;
    }

    private @Nullable String alias(String... types) {
        for (String type : types) {
            if (type.equals(key.getAlgorithm())) {
                return ALIAS;
            }
        }
        return null;
    }

    @Override
    public @Nullable String chooseEngineClientAlias(String[] types, Principal @Nullable [] issuers, SSLEngine engine) {
        return alias(types);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String type, Principal @Nullable [] issuers, SSLEngine engine) {
        return alias(type);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, Socket socket) {
        return alias(types);
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, Socket socket) {
        return alias(type);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
        return getServerAliases(type, issuers);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        String alias = alias(type);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return chain.clone();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return key;
    }
}
