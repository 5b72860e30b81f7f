package io.tenfold.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import org.junit.jupiter.api.Test;

/** Sizes and offsets as the kernel's headers and build-time checks give them. */
class LayoutTest {
    @Test
    void sqeIs64BytesWithItsFieldsInPlace() {
        assertThat(SqeLayout.LAYOUT.byteSize()).isEqualTo(64);
        assertThat(SqeLayout.OPCODE).isEqualTo(0);
        assertThat(SqeLayout.FD).isEqualTo(4);
        assertThat(SqeLayout.OFF).isEqualTo(8);
        assertThat(SqeLayout.ADDR).isEqualTo(16);
        assertThat(SqeLayout.LEN).isEqualTo(24);
        assertThat(SqeLayout.OP_FLAGS).isEqualTo(28);
        assertThat(SqeLayout.USER_DATA).isEqualTo(32);
        assertThat(offset(SqeLayout.LAYOUT, "buf_index")).isEqualTo(40);
        assertThat(offset(SqeLayout.LAYOUT, "file_index")).isEqualTo(44);
        assertThat(offset(SqeLayout.LAYOUT, "addr3")).isEqualTo(48);
    }

    @Test
    void cqeIs16BytesWithItsFieldsInPlace() {
        assertThat(CqeLayout.LAYOUT.byteSize()).isEqualTo(16);
        assertThat(CqeLayout.USER_DATA).isEqualTo(0);
        assertThat(CqeLayout.RES).isEqualTo(8);
    }

    @Test
    void paramsAre120BytesWithTheirFieldsInPlace() {
        assertThat(UringParamsLayout.BYTES).isEqualTo(120);
        assertThat(UringParamsLayout.SQ_ENTRIES).isEqualTo(0);
        assertThat(UringParamsLayout.CQ_ENTRIES).isEqualTo(4);
        assertThat(UringParamsLayout.FLAGS).isEqualTo(8);
        assertThat(UringParamsLayout.FEATURES).isEqualTo(20);
        assertThat(UringParamsLayout.SQ_HEAD).isEqualTo(40);
        assertThat(UringParamsLayout.SQ_TAIL).isEqualTo(44);
        assertThat(UringParamsLayout.SQ_FLAGS).isEqualTo(56);
        assertThat(UringParamsLayout.SQ_ARRAY).isEqualTo(64);
        assertThat(UringParamsLayout.CQ_HEAD).isEqualTo(80);
        assertThat(UringParamsLayout.CQ_TAIL).isEqualTo(84);
        assertThat(UringParamsLayout.CQ_CQES).isEqualTo(100);
    }

    @Test
    void waitArgumentIs24BytesWithTheTimeBehindIt() {
        assertThat(WaitArgumentLayout.ARGUMENT_BYTES).isEqualTo(24);
        assertThat(WaitArgumentLayout.TS).isEqualTo(16);
        assertThat(WaitArgumentLayout.TV_NSEC).isEqualTo(32);
    }

    @Test
    void statxIs256BytesWithItsFieldsInPlace() {
        assertThat(StatxLayout.LAYOUT.byteSize()).isEqualTo(256);
        assertThat(StatxLayout.MODE).isEqualTo(28);
        assertThat(StatxLayout.SIZE).isEqualTo(40);
        assertThat(StatxLayout.RDEV_MAJOR).isEqualTo(128);
        assertThat(StatxLayout.DEV_MAJOR).isEqualTo(136);
        assertThat(StatxLayout.DIO_MEM_ALIGN).isEqualTo(152);
        assertThat(StatxLayout.DIO_OFFSET_ALIGN).isEqualTo(156);
    }

    @Test
    void msghdrIs56BytesWithItsFieldsInPlace() {
        assertThat(MsghdrLayout.LAYOUT.byteSize()).isEqualTo(56);
        assertThat(MsghdrLayout.IOV).isEqualTo(16);
        assertThat(MsghdrLayout.IOVLEN).isEqualTo(24);
    }

    @Test
    void socketAddressesAreAsLongAsTheyShouldBe() {
        assertThat(SockaddrLayout.INET.byteSize()).isEqualTo(16);
        assertThat(SockaddrLayout.INET6.byteSize()).isEqualTo(28);
        assertThat(offset(SockaddrLayout.INET6, "address")).isEqualTo(8);
        assertThat(offset(SockaddrLayout.INET6, "scope")).isEqualTo(24);
        assertThat(SockaddrLayout.UNIX.byteSize()).isEqualTo(110);
    }

    @Test
    void iovecIs16Bytes() {
        assertThat(IoVector.LAYOUT.byteSize()).isEqualTo(16);
    }

    private static long offset(MemoryLayout layout, String field) {
        return layout.byteOffset(PathElement.groupElement(field));
    }
}
