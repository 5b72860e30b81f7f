package io.tenfold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListenAddressTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:10809, 127.0.0.1, 10809",
        "0.0.0.0:0, 0.0.0.0, 0",
        "[::1]:10810, 0:0:0:0:0:0:0:1, 10810",
        "localhost:1, 127.0.0.1, 1"
    })
    void hostAndPortAreTcp(String text, String host, int port) {
        assertThat(ListenAddress.parse(text)).isInstanceOfSatisfying(InetSocketAddress.class, address -> {
            assertThat(address.getAddress().getHostAddress()).isEqualTo(host);
            assertThat(address.getPort()).isEqualTo(port);
        });
    }

    @ParameterizedTest
    @CsvSource({"unix:nbd.sock, nbd.sock", "unix:/run/a b, /run/a b", "./nbd:1, ./nbd:1", "/run/x, /run/x"})
    void pathsAreUnixSockets(String text, String path) {
        assertThat(ListenAddress.parse(text)).isEqualTo(UnixDomainSocketAddress.of(Path.of(path)));
    }

    @ParameterizedTest
    @CsvSource({
        "10809, 'address must be HOST:PORT, [IPv6]:PORT, unix:PATH or a path with a slash: address=10809'",
        ":10809, 'address must be HOST:PORT, [IPv6]:PORT, unix:PATH or a path with a slash: address=:10809'",
        "::1:10809, 'address must be HOST:PORT, [IPv6]:PORT, unix:PATH or a path with a slash: address=::1:10809'",
        "127.0.0.1:, 'port must be 0 to 65535, 0 for any free one: address=127.0.0.1:'",
        "127.0.0.1:+5, 'port must be 0 to 65535, 0 for any free one: address=127.0.0.1:+5'",
        "127.0.0.1:65536, 'port must be 0 to 65535, 0 for any free one: address=127.0.0.1:65536'",
        "unix:, 'path of a UNIX socket must have 1 to 107 bytes: path=, bytes=0'",
        "host.invalid:1, 'host is not known: address=host.invalid:1'"
    })
    void whatIsNoAddressIsRejectedWithTheReason(String text, String message) {
        assertThatThrownBy(() -> ListenAddress.parse(text)).hasMessage(message);
    }

    @Test
    void pathThatNoSocketCanHaveIsRejected() {
        assertThatThrownBy(() -> ListenAddress.parse("unix:" + "ä".repeat(54))).hasMessageEndingWith("bytes=108");
    }

    @Test
    void uriSaysHowToConnect() {
        assertThat(ListenAddress.uri(ListenAddress.parse("127.0.0.1:10809"), ""))
                .isEqualTo("nbd://127.0.0.1:10809/");
        assertThat(ListenAddress.uri(ListenAddress.parse("[::1]:1"), "a b/c"))
                .isEqualTo("nbd://[0:0:0:0:0:0:0:1]:1/a%20b/c");
        assertThat(ListenAddress.uri(ListenAddress.parse("unix:/tmp/x y&z"), ""))
                .isEqualTo("nbd+unix:///?socket=/tmp/x%20y%26z");
    }

    @Test
    void loopbackAndUnixSocketsAreLocal() {
        assertThat(ListenAddress.isLocal(ListenAddress.parse("127.0.0.1:1"))).isTrue();
        assertThat(ListenAddress.isLocal(ListenAddress.parse("/run/x"))).isTrue();
        assertThat(ListenAddress.isLocal(ListenAddress.parse("0.0.0.0:1"))).isFalse();
    }
}
