// One function per family of vector instructions, for the comparison of disassemblers: built by the
// test with every extension on, never run. Templates and loops over types keep it short.
#include <immintrin.h>

extern "C" {

// AVX-512 F, BW, VL, DQ: masks, zeroing, broadcasts, rounding, comparisons, permutations.
void avx512_float(float* p, double* q, __mmask16 m, __mmask8 n) {
  __m512 a = _mm512_loadu_ps(p), b = _mm512_set1_ps(p[40]);
  a = _mm512_mask_add_ps(a, m, a, b);
  a = _mm512_maskz_fmadd_ps(m, a, b, _mm512_set1_ps(p[3]));
  a = _mm512_add_round_ps(a, b, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  a = _mm512_mul_round_ps(a, b, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  a = _mm512_max_round_ps(a, b, _MM_FROUND_NO_EXC);
  a = _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(a, b, _CMP_NLE_UQ), b);
  a = _mm512_mask_mov_ps(a, _mm512_cmp_round_ps_mask(a, b, _CMP_EQ_OS, _MM_FROUND_NO_EXC), b);
  a = _mm512_permutexvar_ps(_mm512_castps_si512(b), a);
  a = _mm512_shuffle_f32x4(a, b, 0x1b);
  a = _mm512_roundscale_ps(a, 3);
  a = _mm512_getmant_ps(a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
  a = _mm512_fixupimm_ps(a, b, _mm512_castps_si512(b), 5);
  a = _mm512_range_ps(a, b, 4);
  a = _mm512_mask_mov_ps(a, _mm512_fpclass_ps_mask(b, 0x18), b);
  a = _mm512_mask_i32gather_ps(a, m, _mm512_castps_si512(b), p, 4);
  _mm512_mask_i32scatter_ps(p, m, _mm512_castps_si512(b), a, 8);
  _mm512_mask_compressstoreu_ps(p, m, a);
  _mm512_stream_ps(p + 16, a);
  __m512d c = _mm512_loadu_pd(q);
  c = _mm512_mask_sqrt_round_pd(c, n, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
  c = _mm512_cvtepi64_pd(_mm512_cvttpd_epi64(c));
  c = _mm512_add_pd(c, _mm512_cvtps_pd(_mm512_cvtpd_ps(c)));
  __m256d d =
      _mm256_mask_scalef_pd(_mm256_loadu_pd(q), n, _mm256_loadu_pd(q + 9), _mm256_set1_pd(q[7]));
  _mm256_mask_storeu_pd(q, n, _mm256_rcp14_pd(d));
  __m128 s = _mm_cvt_roundu64_ss(_mm_loadu_ps(p), static_cast<unsigned long long>(m),
                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  s = _mm_mask_div_ss(s, n, s, _mm_loadu_ps(p + 4));
  _mm_storeu_ps(p, _mm256_cvtpd_ps(_mm256_insertf64x2(d, _mm_castps_pd(s), 1)));
  p[0] += static_cast<float>(_mm_cvtt_roundss_u32(s, _MM_FROUND_NO_EXC));
  _mm512_storeu_ps(p, a);
  _mm512_mask_storeu_pd(q, n, c);
}

void avx512_integer(int* p, long long* q, __mmask16 m, __mmask64 w) {
  __m512i a = _mm512_loadu_si512(p), b = _mm512_loadu_si512(p + 64);
  a = _mm512_mask_add_epi8(a, w, a, b);
  a = _mm512_maskz_subs_epu16(static_cast<__mmask32>(w), a, b);
  a = _mm512_mask_add_epi32(a, m, a, _mm512_set1_epi32(p[5]));
  a = _mm512_ternarylogic_epi32(a, b, _mm512_set1_epi64(q[2]), 0x96);
  a = _mm512_rolv_epi64(a, b);
  a = _mm512_ror_epi32(a, 7);
  a = _mm512_mask_mov_epi8(a, _mm512_cmp_epu8_mask(a, b, _MM_CMPINT_NLT), b);
  a = _mm512_mask_mov_epi32(a, _mm512_cmp_epi32_mask(a, b, _MM_CMPINT_LE), b);
  a = _mm512_mask_mov_epi16(a, _mm512_test_epi16_mask(a, b), b);
  a = _mm512_conflict_epi32(_mm512_lzcnt_epi32(a));
  a = _mm512_popcnt_epi64(_mm512_popcnt_epi8(a));
  a = _mm512_shldv_epi16(a, b, _mm512_shrdi_epi32(a, b, 9));
  a = _mm512_multishift_epi64_epi8(a, _mm512_permutex2var_epi8(a, b, a));
  a = _mm512_madd52lo_epu64(a, b, _mm512_madd52hi_epu64(b, a, b));
  a = _mm512_dpbusd_epi32(a, b, _mm512_dpwssds_epi32(a, b, b));
  a = _mm512_gf2p8affine_epi64_epi8(a, b, 3);
  a = _mm512_clmulepi64_epi128(a, b, 0x10);
  a = _mm512_aesenc_epi128(a, _mm512_aesdeclast_epi128(b, a));
  a = _mm512_dbsad_epu8(a, _mm512_alignr_epi32(a, b, 3), 1);
  a = _mm512_maskz_expand_epi8(w, _mm512_maskz_compress_epi16(static_cast<__mmask32>(w), a));
  a = _mm512_mask_expandloadu_epi32(a, m, p + 3);
  a = _mm512_inserti32x4(a, _mm512_cvtepi32_epi8(b), 2);
  a = _mm512_broadcast_i32x4(_mm512_extracti32x4_epi32(a, 1));
  _mm512_mask_cvtusepi32_storeu_epi16(p, m, a);
  _mm512_storeu_si512(p, _mm512_movm_epi8(_kxor_mask64(w, _kshiftli_mask64(w, 3))));
  p[0] += _ktestc_mask16_u8(m, _mm512_kunpackb(m, 3)) + _kortestz_mask16_u8(m, 7);
  _mm256_mask_storeu_epi64(
      q, 5, _mm256_max_epi64(_mm256_loadu_si256((__m256i*)q), _mm256_set1_epi64x(q[9])));
  _mm_mask_storeu_epi8(q, static_cast<__mmask16>(w),
                       _mm_mask_abs_epi8(_mm_loadu_si128((__m128i*)p), 3, _mm_set1_epi8(1)));
  _mm512_storeu_si512(q, a);
}

// AVX-512 FP16 and BF16.
void half(_Float16* p, float* q, __mmask32 m) {
  __m512h a = _mm512_loadu_ph(p), b = _mm512_set1_ph(p[9]);
  a = _mm512_mask_add_ph(a, m, a, b);
  a = _mm512_fmadd_round_ph(a, b, a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  a = _mm512_fmul_pch(a, _mm512_fcmadd_pch(a, b, b));
  a = _mm512_sqrt_ph(_mm512_rsqrt_ph(_mm512_rcp_ph(a)));
  a = _mm512_mask_blend_ph(_mm512_cmp_ph_mask(a, b, _CMP_LT_OQ), a, b);
  a = _mm512_reduce_ph(_mm512_getexp_ph(a), 2);
  a = _mm512_cvtepi16_ph(_mm512_cvttph_epi16(a));
  __m128h s = _mm_loadu_ph(p);
  s = _mm_add_sh(s, _mm_cvtss_sh(s, _mm_cvtsh_ss(_mm_loadu_ps(q), s)));
  s = _mm_cvti64_sh(s, _mm_cvttsh_i64(s));
  _mm_storeu_ph(p, _mm512_cvtpd_ph(_mm512_loadu_pd(q)));
  _mm256_storeu_ph(p, _mm512_cvtxps_ph(_mm512_loadu_ps(q)));
  p[3] = static_cast<_Float16>(_mm_comilt_sh(s, _mm_set_sh(p[1])));
  q[0] = _mm_cvtss_f32(_mm_dpbf16_ps(_mm_loadu_ps(q),
                                     _mm_cvtne2ps_pbh(_mm_loadu_ps(q), _mm_loadu_ps(q + 4)),
                                     _mm_cvtneps_pbh(_mm_loadu_ps(q + 8))));
  _mm512_storeu_ph(p, a);
}

void amx(void* p, long stride) {
  _tile_loadconfig(p);
  _tile_zero(0);
  _tile_loadd(1, p, stride);
  _tile_stream_loadd(2, p, stride);
  _tile_dpbssd(0, 1, 2);
  _tile_dpbsud(0, 1, 2);
  _tile_dpbusd(0, 1, 2);
  _tile_dpbuud(3, 4, 5);
  _tile_dpbf16ps(0, 1, 2);
  _tile_stored(0, p, stride);
  _tile_storeconfig(p);
  _tile_release();
}

// AVX, AVX2, FMA, F16C, VNNI without EVEX.
void avx(float* p, double* q, int* i) {
  __m256 a = _mm256_loadu_ps(p);
  a = _mm256_fmadd_ps(a, _mm256_broadcast_ss(p + 9), a);
  a = _mm256_blendv_ps(a, _mm256_cmp_ps(a, a, _CMP_GE_OQ), a);
  a = _mm256_add_ps(a, _mm256_cvtph_ps(_mm256_cvtps_ph(a, 1)));
  __m256i x = _mm256_loadu_si256((__m256i*)i);
  a = _mm256_mask_i32gather_ps(a, p, x, a, 4);
  x = _mm256_dpbusd_avx_epi32(x, x, _mm256_dpwssd_avx_epi32(x, x, x));
  x = _mm256_permute2x128_si256(x, _mm256_sllv_epi32(x, x), 0x21);
  _mm256_maskstore_epi32(i, x, _mm256_madd_epi16(x, x));
  q[0] += _mm_cvtsd_f64(_mm_cvtsi64_sd(_mm256_castpd256_pd128(_mm256_loadu_pd(q)), i[3]));
  i[0] += _mm_cvtsd_si32(_mm_loadu_pd(q)) + _mm_extract_epi16(_mm256_castsi256_si128(x), 3);
  _mm256_storeu_ps(p, a);
  _mm256_zeroupper();
}

// General registers: BMI, ADX, CET, TSX, cache control, atomics, x87.
unsigned long long general(unsigned long long* p, long double* f, unsigned char* c) {
  unsigned long long a = _pext_u64(p[0], p[1]) ^ _pdep_u64(p[1], p[2]) ^ _bzhi_u64(p[2], 7);
  a += _lzcnt_u64(p[3]) + _tzcnt_u64(p[4]) + _mm_popcnt_u64(p[5]) + _blsr_u64(p[1]) +
       _andn_u64(a, p[2]);
  unsigned long long high = 0;
  a ^= _mulx_u64(a, p[6], &high);
  c[0] = _addcarryx_u64(c[0], a, p[1], p);
  a = _mm_crc32_u64(a, p[8]);
  a = _mm_crc32_u8(static_cast<unsigned>(a), c[1]);
  _mm_clflushopt(p);
  _mm_clwb(p);
  _mm_prefetch((const char*)p, _MM_HINT_T1);
  __atomic_fetch_add(p, 3, __ATOMIC_SEQ_CST);
  __atomic_fetch_or(c, 1, __ATOMIC_SEQ_CST);
  if (_xbegin() == _XBEGIN_STARTED) _xend();
  unsigned long long expected = 3;
  __atomic_compare_exchange_n(p, &expected, a, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  *f = __builtin_sqrtl(*f) * 3 - static_cast<long double>(a) / *f;
  __builtin_memset(p, 0, 4096);
  _mm_sfence();
  return a + high + static_cast<unsigned long long>(__builtin_ia32_rdtsc());
}
}
